// The types of other modules that a user of this one touches: they come with `import TrimClient`. Their modules stay the package's.

@_exported public import struct Media.AudioFormat
@_exported public import struct Media.Chapter
@_exported public import struct Media.ChapterMark
@_exported public import struct Media.DroppedItem
@_exported public import enum Media.ErrorCode
@_exported public import enum Media.ExportPhase
@_exported public import struct Media.Fault
@_exported public import enum Media.FileType
@_exported public import struct Media.JobReport
@_exported public import struct Media.MediaError
@_exported public import struct Media.MetadataItem
@_exported public import enum Media.MetadataPolicy
@_exported public import struct Media.PresetCompatibility
@_exported public import struct Media.Reason
@_exported public import enum Media.RenderMode
@_exported public import struct Media.SizeBand
@_exported public import struct Media.Track
@_exported public import enum Media.TrackKind
@_exported public import struct Media.TrackResult
@_exported public import struct Media.VideoFormat
@_exported public import struct Media.Warning
@_exported public import struct MediaTime.Ratio
@_exported public import struct MediaTime.Time
@_exported public import struct MediaTime.TimeRange
