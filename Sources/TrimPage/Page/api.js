// Requests to the page's program. An error is an object with trimd's message and remedy.
import { t } from "/strings.js";

/// What is wrong, and what to do.
export const spoken = ({ message, remedy }) => remedy ? `${message}; ${remedy}` : message;
export class Failure extends Error {
  constructor(error) { super(spoken(error)); this.code = error.code; }
}
const ask = async (path, options = {}, isAgain) => {
  let answer;
  try { answer = await fetch(path, { cache: "no-store", ...options }); } catch (error) {
    if (error.name === "AbortError") throw error;
    // A connection may end just as it is used.
    if (!isAgain && !options.method) return ask(path, options, true);
    throw new Failure({ code: "gone", message: t.gone });
  }
  if (answer.ok) return answer;
  const text = await answer.text();
  let error = { code: "refused", message: text.trim() };
  try { error = JSON.parse(text).error ?? error; } catch { /* It is text. */ }
  throw new Failure(error);
};
const query = words => new URLSearchParams(Object.entries(words).filter(([, value]) => value !== undefined)).toString();
const json = async (path, options) => (await ask(path, options)).json();
const post = (path, body = {}) => json(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
/// What a report says of damage; nothing where there is none.
export const damage = ({ warnings }) => warnings?.find(({ code }) => code === "damagedMedia");
/// A report, and the bytes of the file that came with it.
const preview = async (path, signal) => {
  const bytes = await (await ask(path, { signal })).arrayBuffer();
  const size = new DataView(bytes).getUint32(0);
  return { report: JSON.parse(new TextDecoder().decode(new Uint8Array(bytes, 4, size))), bytes: bytes.slice(4 + size) };
};
/// Where this browser keeps what it knows of an export that it asked for.
export const jobKey = ({ id, created }) => `job:${id}:${created.milliseconds ?? created}`;
const of = (id, part) => `/api/assets/${id}/${part}`;
export const api = {
  library: async () => api.settings = await json("/api/library"),
  /// The library's last answer, beside its files.
  settings: {},
  probe: (id, words = {}) => json(`${of(id, "probe")}?${query(words)}`),
  file: id => of(id, "file"),
  async thumbnails(id, at, { width, key, subtitles, signal } = {}) {
    const { report, bytes } = await preview(`${of(id, "thumbnails")}?${query({ at: at.join(","), width, key: key ? 1 : undefined, subtitles })}`, signal);
    return report.pictures.map(picture => ({
      ...picture, damage: damage(report), blob: new Blob([bytes.slice(picture.offset, picture.offset + picture.bytes)], { type: "image/jpeg" }),
    }));
  },
  frame: async (id, at, words) => (await api.thumbnails(id, [at], words))[0],
  waveform: (id, words, signal) => json(`${of(id, "waveform")}?${query(words)}`, { signal }),
  cues: (id, words) => json(`${of(id, "cues")}?${query(words)}`),
  segment: (id, words, signal) => preview(`${of(id, "segment")}?${query(words)}`, signal),
  check: (id, body) => post(of(id, "check"), body),
  plan: (id, body) => post(of(id, "plan"), body),
  export: (id, body) => post(of(id, "export"), body),
  order: (id, word, body) => post(`/api/jobs/${id}/${word}`, body),
  readList: (id, name, text) => post(of(id, "ranges"), { name, text }),
  writeList: (id, format, ranges) => post(of(id, "list"), { format, ranges }),
  saved: id => json(of(id, "saved")),
  save: (id, ranges, version) => post(of(id, "saved"), { ranges, version }),
  artwork: async (id, blob) => (await json(of(id, "artwork"), { method: "POST", headers: { "Content-Type": blob.type }, body: blob })).artwork,
  picture: async (id, key) => (await ask(`${of(id, "artwork")}?${query({ key })}`)).blob(),
  unlock: pin => post("/api/unlock", { pin }),
  lock: () => post("/api/lock"),
};
