// libass, which draws text subtitles, and FreeType, which knows what glyphs a font has.
#pragma once
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <ass/ass.h>
#include <ft2build.h>
#include FT_FREETYPE_H

/// Messages of libass about fonts that it drew another font for.
typedef struct {
    int count;
    char text[8][256];
} trim_ass_notes;

static inline void trim_ass_note(int level, const char *format, va_list words, void *data) {
    static const char start[] = "fontselect: Using default";
    trim_ass_notes *notes = (trim_ass_notes *)data;
    (void)level;
    if (strncmp(format, start, sizeof start - 1) == 0 && notes->count < 8)
        vsnprintf(notes->text[notes->count++], sizeof notes->text[0], format, words);
}

/// Keeps libass from writing to stderr, and its messages about fonts; a handler of its messages has variable arguments, which Swift
/// cannot take. The notes must outlive the library.
static inline void trim_ass_listen(ASS_Library *library, trim_ass_notes *notes) {
    ass_set_message_cb(library, trim_ass_note, notes);
}

/// One of the messages.
static inline const char *trim_ass_text(const trim_ass_notes *notes, int index) { return notes->text[index]; }

/// A font of a file in memory, which must outlive it; NULL if it is none.
static inline FT_Face trim_ft_face(FT_Library library, const unsigned char *bytes, long count, long index) {
    FT_Face face = 0;
    return FT_New_Memory_Face(library, bytes, count, index, &face) ? 0 : face;
}

/// The first name of the font's family; NULL if it has none.
static inline const char *trim_ft_family(FT_Face face) { return face->family_name; }

/// How many fonts the file has.
static inline long trim_ft_count(FT_Face face) { return face->num_faces; }
