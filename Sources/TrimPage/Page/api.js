// Requests to the page's program. An error is an object with trimd's message and remedy.
import { t } from "/strings.js";

/// What is wrong, and what to do.
export const spoken = ({ message, remedy }) => remedy ? `${message}; ${remedy}` : message;
export class Failure extends Error {
  constructor(error) { super(spoken(error)); this.code = error.code; }
}

// The session of this tab: in a header, since a cookie would go to every server on this machine. It ends with the page's program; where the
// next one will be, and its token, are in memory alone, as whoever has this address by then can read what the tab keeps.
const held = "session", given = new URLSearchParams(location.hash.slice(1)), token = given.get("token") ?? undefined;
let session = sessionStorage.getItem(held) ?? undefined, next;
const unsent = JSON.parse(given.get("unsent") ?? "{}");
if (token) history.replaceState(null, "", `#${given.get("film") ?? ""}`);
const remember = () => { if (session) sessionStorage.setItem(held, session); };
addEventListener("pagehide", remember);
// Another tab of this address lets one in that was opened beside it; what it tells is of no use once the program has ended.
const channel = new BroadcastChannel("session");
const ofOthers = () => new Promise(resolve => {
  channel.onmessage = ({ data }) => { if (data.session) resolve(data.session); };
  channel.postMessage({});
  setTimeout(resolve, 300);
});
const begin = async () => {
  if (!token) session ??= await ofOthers();
  channel.onmessage = ({ data }) => { if (!data.session && session) channel.postMessage({ session }); };
  const answer = await fetch("/api/session", { method: "POST", cache: "no-store", headers: { "Content-Type": "application/json", ...(session && { "X-Trim-Session": session }) }, body: JSON.stringify({ token }) });
  if (!answer.ok) throw new Failure({ code: "refused", message: (await answer.text()).trim() });
  ({ session, next } = await answer.json());
  remember();
};
const ready = begin();
ready.catch(() => {});

const ask = async (path, options = {}, isAgain) => {
  await ready;
  let answer;
  try { answer = await fetch(path, { cache: "no-store", ...options, headers: { ...options.headers, "X-Trim-Session": session } }); } catch (error) {
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
/// The name of an export in its film's draft.
export const jobKey = ({ id, created }) => `${id}:${created.milliseconds ?? created}`;
const of = (id, part) => `/api/assets/${id}/${part}`;
export const api = {
  library: async () => api.settings = await json("/api/library"),
  /// The library's last answer, beside its files.
  settings: {},
  probe: (id, words = {}) => json(`${of(id, "probe")}?${query(words)}`),
  /// The address of a file's own bytes, for what cannot send a header: with a ticket for this file alone.
  file: async id => `${of(id, "file")}?${query(await post(of(id, "ticket")))}`,
  draft: id => json(of(id, "draft")),
  keepDraft: (id, draft, keepalive) => json(of(id, "draft"), { method: "POST", keepalive, headers: { "Content-Type": "application/json" }, body: JSON.stringify({ draft }) }),
  /// Parts of a draft that the program has not got yet, kept in the tab.
  unsent: key => unsent[key] ?? JSON.parse(sessionStorage.getItem(key) ?? "null") ?? undefined,
  keepUnsent(key, parts) { if (parts) unsent[key] = parts; else delete unsent[key]; try { if (parts) sessionStorage.setItem(key, JSON.stringify(parts)); else sessionStorage.removeItem(key); } catch { /* Kept in memory at least. */ } },
  /// Tells of events as they come, until their end.
  async events(signal, act) {
    const reader = (await ask("/api/events", { signal })).body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = "", part; !(part = await reader.read()).done;) {
      const events = (rest + part.value).split("\n\n");
      rest = events.pop();
      for (const event of events) act(/^event: (.*)$/m.exec(event)?.[1], /^data: (.*)$/m.exec(event)?.[1]);
    }
  },
  /// Goes on with the program that was started again, once it is there; what it has not got goes along.
  async follow() {
    if (!next || !(await fetch(`${next.origin}/api/awake`, { cache: "no-store", credentials: "omit" }).catch(() => undefined))?.ok) return;
    location.replace(`${next.origin}/#${query({ token: next.token, film: location.hash.slice(1), unsent: JSON.stringify(unsent) })}`);
  },
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
