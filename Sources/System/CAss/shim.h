// libass, which draws text subtitles, and FreeType, which knows what glyphs a font has.
#pragma once
#include <stdarg.h>
#include <ass/ass.h>
#include <ft2build.h>
#include FT_FREETYPE_H

static inline void trim_ass_ignore(int level, const char *format, va_list words, void *data) {
    (void)level, (void)format, (void)words, (void)data;
}

/// Keeps libass from writing to stderr; a handler of its messages has variable arguments, which Swift cannot take.
static inline void trim_ass_silence(ASS_Library *library) { ass_set_message_cb(library, trim_ass_ignore, 0); }

/// A font of a file in memory, which must outlive it; NULL if it is none.
static inline FT_Face trim_ft_face(FT_Library library, const unsigned char *bytes, long count, long index) {
    FT_Face face = 0;
    return FT_New_Memory_Face(library, bytes, count, index, &face) ? 0 : face;
}

/// The first name of the font's family; NULL if it has none.
static inline const char *trim_ft_family(FT_Face face) { return face->family_name; }

/// How many fonts the file has.
static inline long trim_ft_count(FT_Face face) { return face->num_faces; }
