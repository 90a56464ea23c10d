// Language codes. ISO 639-2 has two codes for some languages (MPEG-4 writes the terminological one, deu; Matroska the
// bibliographic one, ger), ISO 639-1 has shorter codes, and BCP 47 tags carry subtags. Pure.

/// Language codes.
public enum LanguageCode {
    /// All terminological codes that have a bibliographic one.
    private static let pairs: [(String, String)] = [
        ("sqi", "alb"), ("hye", "arm"), ("eus", "baq"), ("mya", "bur"), ("zho", "chi"), ("ces", "cze"),
        ("nld", "dut"), ("fra", "fre"), ("kat", "geo"), ("deu", "ger"), ("ell", "gre"), ("isl", "ice"),
        ("mkd", "mac"), ("mri", "mao"), ("msa", "may"), ("fas", "per"), ("ron", "rum"), ("slk", "slo"),
        ("bod", "tib"), ("cym", "wel"),
    ]
    private static let books = Dictionary(uniqueKeysWithValues: pairs)
    private static let terms = Dictionary(uniqueKeysWithValues: pairs.map { ($0.1, $0.0) })

    /// ISO 639-1 codes with the terminological codes of ISO 639-2.
    private static let short: [String: String] = {
        let list = """
            aa:aar ab:abk ae:ave af:afr ak:aka am:amh an:arg ar:ara as:asm av:ava ay:aym az:aze ba:bak be:bel \
            bg:bul bh:bih bi:bis bm:bam bn:ben bo:bod br:bre bs:bos ca:cat ce:che ch:cha co:cos cr:cre cs:ces \
            cu:chu cv:chv cy:cym da:dan de:deu dv:div dz:dzo ee:ewe el:ell en:eng eo:epo es:spa et:est eu:eus \
            fa:fas ff:ful fi:fin fj:fij fo:fao fr:fra fy:fry ga:gle gd:gla gl:glg gn:grn gu:guj gv:glv ha:hau \
            he:heb hi:hin ho:hmo hr:hrv ht:hat hu:hun hy:hye hz:her ia:ina id:ind ie:ile ig:ibo ii:iii ik:ipk \
            io:ido is:isl it:ita iu:iku ja:jpn jv:jav ka:kat kg:kon ki:kik kj:kua kk:kaz kl:kal km:khm kn:kan \
            ko:kor kr:kau ks:kas ku:kur kv:kom kw:cor ky:kir la:lat lb:ltz lg:lug li:lim ln:lin lo:lao lt:lit \
            lu:lub lv:lav mg:mlg mh:mah mi:mri mk:mkd ml:mal mn:mon mr:mar ms:msa mt:mlt my:mya na:nau nb:nob \
            nd:nde ne:nep ng:ndo nl:nld nn:nno no:nor nr:nbl nv:nav ny:nya oc:oci oj:oji om:orm or:ori os:oss \
            pa:pan pi:pli pl:pol ps:pus pt:por qu:que rm:roh rn:run ro:ron ru:rus rw:kin sa:san sc:srd sd:snd \
            se:sme sg:sag si:sin sk:slk sl:slv sm:smo sn:sna so:som sq:sqi sr:srp ss:ssw st:sot su:sun sv:swe \
            sw:swa ta:tam te:tel tg:tgk th:tha ti:tir tk:tuk tl:tgl tn:tsn to:ton tr:tur ts:tso tt:tat tw:twi \
            ty:tah ug:uig uk:ukr ur:urd uz:uzb ve:ven vi:vie vo:vol wa:wln wo:wol xh:xho yi:yid yo:yor za:zha \
            zh:zho zu:zul
            """
        return list.split(separator: " ").reduce(into: [:]) { codes, pair in
            codes[String(pair.prefix(2))] = String(pair.suffix(3))
        }
    }()

    /// The terminological ISO 639-2 code for any spelling; of a tag, its first subtag counts. Nil if there is none.
    public static func terminological(_ language: String) -> String? {
        guard
            let base = language.lowercased().split(whereSeparator: { $0 == "-" || $0 == "_" }).first.map(
                String.init)
        else { return nil }
        if base.utf8.count == 2 { return short[base] }
        guard base.utf8.count == 3, base.utf8.allSatisfy({ 0x61...0x7A ~= $0 }) else { return nil }
        return terms[base] ?? base
    }

    /// The bibliographic ISO 639-2 code, if it differs from the terminological one.
    public static func bibliographic(_ language: String) -> String? {
        terminological(language).map { books[$0] ?? $0 }
    }

    /// Whether two spellings name the same language.
    public static func areSame(_ a: String, _ b: String) -> Bool {
        guard let a = terminological(a), let b = terminological(b) else {
            return a.lowercased() == b.lowercased()
        }
        return a == b
    }
}
