camera.service
