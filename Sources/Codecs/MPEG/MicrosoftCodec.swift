// Microsoft's codecs from MS MPEG-4 to Windows Media Video 8. Key frames say how they are coded, except for WMV 8, whose tools
// are given by four bytes of the container's header.

/// MS MPEG-4 and Windows Media Video 7 and 8.
package enum MicrosoftCodec: VideoCodec {
    package static let names: Set<String> = ["msmpeg4v2", "msmpeg4v3", "wmv1", "wmv2"]
}
