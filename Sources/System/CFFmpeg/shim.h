// FFmpeg's libraries, and wrappers for declarations that Swift does not import: casts, variadics and function-like macros.
#pragma once
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <libavcodec/vorbis_parser.h>
#include <libavfilter/avfilter.h>
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
#include <libavformat/avformat.h>
#include <libavutil/adler32.h>
#include <libavutil/audio_fifo.h>
#include <libavutil/avutil.h>
#include <libavutil/base64.h>
#include <libavutil/channel_layout.h>
#include <libavutil/cpu.h>
#include <libavutil/crc.h>
#include <libavutil/display.h>
#include <libavutil/dict.h>
#include <libavutil/dovi_meta.h>
#include <libavutil/encryption_info.h>
#include <libavutil/error.h>
#include <libavutil/frame.h>
#include <libavutil/imgutils.h>
#include <libavutil/log.h>
#include <libavutil/mastering_display_metadata.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libavutil/samplefmt.h>
#include <libavutil/sha.h>
#include <libavutil/spherical.h>
#include <libswresample/swresample.h>
#include <string.h>
#include "versions.h"

static const int64_t trim_nopts = AV_NOPTS_VALUE;
static const int trim_error_eof = AVERROR_EOF;
static const int trim_error_again = AVERROR(EAGAIN);
static const int trim_error_external = AVERROR_EXTERNAL;
static const int trim_error_exit = AVERROR_EXIT;
static const int trim_error_invaliddata = AVERROR_INVALIDDATA;
static const int trim_error_decoder_not_found = AVERROR_DECODER_NOT_FOUND;
static const int trim_error_patchwelcome = AVERROR_PATCHWELCOME;

/// The AVERROR of an errno.
static inline int trim_averror(int number) { return AVERROR(number); }

/// How packets are decoded, and the degrees clockwise by which their frames are turned then.
typedef struct trim_form {
    AVCodecParameters *parameters;
    int turn;
} trim_form;

static inline void trim_free_form(void *opaque, uint8_t *data) {
    trim_form *form = (trim_form *)(void *)data;
    avcodec_parameters_free(&form->parameters);
    av_free(form);
}

/// A form with a copy of parameters, which packets can share; NULL without memory. Freed with the last reference.
static inline AVBufferRef *trim_share_form(const AVCodecParameters *parameters, int turn) {
    trim_form *form = av_mallocz(sizeof *form);
    if (!form) return NULL;
    form->turn = turn;
    form->parameters = avcodec_parameters_alloc();
    AVBufferRef *shared = NULL;
    if (form->parameters && avcodec_parameters_copy(form->parameters, parameters) >= 0)
        shared = av_buffer_create((uint8_t *)(void *)form, sizeof *form, trim_free_form, NULL, AV_BUFFER_FLAG_READONLY);
    if (!shared) trim_free_form(NULL, (uint8_t *)(void *)form);
    return shared;
}

/// Whether a log line reports that a decoder conceals damage. For H.264, FFmpeg 5.1 reports this nowhere else if several
/// threads decode: each thread has copies of all frames, and the flag is set on the decoding thread's copy.
static inline int trim_log_is_concealment(const char *format) {
    static const char words[] = "concealing ";
    return format && !strncmp(format, words, sizeof words - 1);
}
