// Everything that differs between the FFmpeg versions of supported Debian releases (5.1, 7.1, 9), under one name each.
#pragma once
#include <libavcodec/avcodec.h>
#include <libavcodec/version.h>
#include <libavformat/avformat.h>
#include <libavformat/version.h>
#include <libavutil/frame.h>
#include <libavutil/version.h>

// Properties of frames: fields of their own until FFmpeg 6.1, then flags.
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(58, 29, 100)
static inline int trim_frame_is_key(const AVFrame *frame) { return !!(frame->flags & AV_FRAME_FLAG_KEY); }
static inline int trim_frame_is_interlaced(const AVFrame *frame) { return !!(frame->flags & AV_FRAME_FLAG_INTERLACED); }
static inline int trim_frame_is_top_field_first(const AVFrame *frame) { return !!(frame->flags & AV_FRAME_FLAG_TOP_FIELD_FIRST); }
static inline int64_t trim_frame_duration(const AVFrame *frame) { return frame->duration; }
static inline void trim_frame_set(AVFrame *frame, int flag, int value) { frame->flags = value ? frame->flags | flag : frame->flags & ~flag; }
static inline void trim_frame_set_key(AVFrame *frame, int value) { trim_frame_set(frame, AV_FRAME_FLAG_KEY, value); }
static inline void trim_frame_set_interlaced(AVFrame *frame, int value) { trim_frame_set(frame, AV_FRAME_FLAG_INTERLACED, value); }
static inline void trim_frame_set_top_field_first(AVFrame *frame, int value) { trim_frame_set(frame, AV_FRAME_FLAG_TOP_FIELD_FIRST, value); }
static inline void trim_frame_set_duration(AVFrame *frame, int64_t ticks) { frame->duration = ticks; }
#else
static inline int trim_frame_is_key(const AVFrame *frame) { return frame->key_frame; }
static inline int trim_frame_is_interlaced(const AVFrame *frame) { return frame->interlaced_frame; }
static inline int trim_frame_is_top_field_first(const AVFrame *frame) { return frame->top_field_first; }
static inline int64_t trim_frame_duration(const AVFrame *frame) { return frame->pkt_duration; }
static inline void trim_frame_set_key(AVFrame *frame, int value) { frame->key_frame = value; }
static inline void trim_frame_set_interlaced(AVFrame *frame, int value) { frame->interlaced_frame = value; }
static inline void trim_frame_set_top_field_first(AVFrame *frame, int value) { frame->top_field_first = value; }
static inline void trim_frame_set_duration(AVFrame *frame, int64_t ticks) { frame->pkt_duration = ticks; }
#endif

// Side data of streams: the stream's own until FFmpeg 6.1, then that of its codec parameters. Copies of codec parameters have it too since.
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 30, 101)
static inline int trim_stream_side_data_count(const AVStream *stream) { return stream->codecpar->nb_coded_side_data; }
static inline const AVPacketSideData *trim_stream_side_data_entry(const AVStream *stream, int index) {
    return &stream->codecpar->coded_side_data[index];
}
/// The bytes of an entry that a stream gets, in place of one of its type; NULL: there is no memory.
static inline uint8_t *trim_stream_add_side_data(AVStream *stream, enum AVPacketSideDataType type, size_t size) {
    AVPacketSideData *entry = av_packet_side_data_new(
        &stream->codecpar->coded_side_data, &stream->codecpar->nb_coded_side_data, type, size, 0);
    return entry ? entry->data : NULL;
}
/// Codec parameters lose their side data.
static inline void trim_parameters_remove_side_data(AVCodecParameters *parameters) {
    av_packet_side_data_free(&parameters->coded_side_data, &parameters->nb_coded_side_data);
}
#else
static inline int trim_stream_side_data_count(const AVStream *stream) { return stream->nb_side_data; }
static inline const AVPacketSideData *trim_stream_side_data_entry(const AVStream *stream, int index) {
    return &stream->side_data[index];
}
static inline uint8_t *trim_stream_add_side_data(AVStream *stream, enum AVPacketSideDataType type, size_t size) {
    return av_stream_new_side_data(stream, type, size);
}
static inline void trim_parameters_remove_side_data(AVCodecParameters *parameters) { (void)parameters; }
#endif
/// The bytes of a stream's side data; NULL: it has none of this type.
static inline const uint8_t *trim_stream_side_data(const AVStream *stream, enum AVPacketSideDataType type) {
    for (int index = 0; index < trim_stream_side_data_count(stream); index++) {
        const AVPacketSideData *entry = trim_stream_side_data_entry(stream, index);
        if (entry->type == type) return entry->data;
    }
    return NULL;
}

// Lists of what an encoder takes: fields of AVCodec until FFmpeg 7.1, then a function. NULL: anything.
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(61, 13, 100)
static inline const void *trim_codec_list(const AVCodec *codec, enum AVCodecConfig config) {
    const void *list = NULL;
    return avcodec_get_supported_config(NULL, codec, config, 0, &list, NULL) < 0 ? NULL : list;
}
static inline const int *trim_codec_sample_rates(const AVCodec *codec) {
    return (const int *)trim_codec_list(codec, AV_CODEC_CONFIG_SAMPLE_RATE);
}
static inline const enum AVSampleFormat *trim_codec_sample_formats(const AVCodec *codec) {
    return (const enum AVSampleFormat *)trim_codec_list(codec, AV_CODEC_CONFIG_SAMPLE_FORMAT);
}
static inline const AVChannelLayout *trim_codec_channel_layouts(const AVCodec *codec) {
    return (const AVChannelLayout *)trim_codec_list(codec, AV_CODEC_CONFIG_CHANNEL_LAYOUT);
}
#else
static inline const int *trim_codec_sample_rates(const AVCodec *codec) { return codec->supported_samplerates; }
static inline const enum AVSampleFormat *trim_codec_sample_formats(const AVCodec *codec) { return codec->sample_fmts; }
static inline const AVChannelLayout *trim_codec_channel_layouts(const AVCodec *codec) { return codec->ch_layouts; }
#endif

// Names of profiles.
#ifdef AV_PROFILE_UNKNOWN
static const int trim_profile_unknown = AV_PROFILE_UNKNOWN;
static const int trim_profile_h264_intra = AV_PROFILE_H264_INTRA;
#else
static const int trim_profile_unknown = FF_PROFILE_UNKNOWN;
static const int trim_profile_h264_intra = FF_PROFILE_H264_INTRA;
#endif

/// A parser of a codec; NULL: there is none. The ID was an int until FFmpeg 9.
static inline AVCodecParserContext *trim_parser_init(enum AVCodecID id) { return av_parser_init(id); }

/// Whether decoder and encoder of FLAC take samples of more than 24 bits: since FFmpeg 6.
static inline int trim_codes_deep_flac(void) { return avcodec_version() >= AV_VERSION_INT(60, 0, 0); }

/// The decoder of a codec; NULL: there is none. FFmpeg 7.1's own one for Speex returns each sample of 16 kHz and more twice, that of libspeex
/// does not.
static inline const AVCodec *trim_find_decoder(enum AVCodecID id) {
    const AVCodec *codec = NULL;
    if (id == AV_CODEC_ID_SPEEX && avcodec_version() >= AV_VERSION_INT(60, 0, 0)) codec = avcodec_find_decoder_by_name("libspeex");
    return codec ? codec : avcodec_find_decoder(id);
}

/// avio_alloc_context. Since FFmpeg 7 the bytes to write are const.
static inline AVIOContext *trim_avio_alloc(
    unsigned char *buffer, int size, int writes, void *opaque, int (*read)(void *, uint8_t *, int),
    int (*write)(void *, const uint8_t *, int), int64_t (*seek)(void *, int64_t, int)) {
#if LIBAVFORMAT_VERSION_MAJOR >= 61
    return avio_alloc_context(buffer, size, writes, opaque, read, write, seek);
#else
    return avio_alloc_context(buffer, size, writes, opaque, read, (int (*)(void *, uint8_t *, int))write, seek);
#endif
}
