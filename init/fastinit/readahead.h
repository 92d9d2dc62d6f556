/* SPDX-License-Identifier: MIT OR Apache-2.0 */
#ifndef FASTINIT_READAHEAD_H
#define FASTINIT_READAHEAD_H
#endif
