// Exact times: {value, timescale}, as trimd writes them. Seconds are for drawing only; no cut is made of them.
const { abs, floor, max, min, round, sign } = Math;
export const time = (value, timescale = 1) => ({ value, timescale });
export const zero = time(0);
export const seconds = at => at.value / at.timescale;
export const compare = (a, b) => sign(Number(BigInt(a.value) * BigInt(b.timescale) - BigInt(b.value) * BigInt(a.timescale)));
const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a; };
const exact = (value, timescale) => {
  const whole = gcd(value < 0n ? -value : value, timescale) || 1n;
  return time(Number(value / whole), Number(timescale / whole));
};
export const add = (a, b) => exact(BigInt(a.value) * BigInt(b.timescale) + BigInt(b.value) * BigInt(a.timescale), BigInt(a.timescale) * BigInt(b.timescale));
export const subtract = (a, b) => add(a, time(-b.value, b.timescale));
export const spell = at => `${at.value}/${at.timescale}`;
export const bare = ({ value, timescale }) => ({ value, timescale });
/// A time near seconds of drawing; trimd finds the frame there.
export const near = (s, timescale = 90000) => time(max(0, round(s * timescale)), timescale);
/// A moment before a time: the frame before is on screen then.
export const before = at => at.timescale <= 200000 ? time(at.value * 1000 - 1, at.timescale * 1000) : time(at.value - 1, at.timescale);
/// A fraction as a number: 30000/1001, or {numerator, denominator}.
export const ratio = r => r && (typeof r === "object" ? r.numerator / r.denominator : String(r).split("/").map(Number).reduce((a, b) => a / b));
/// Width by height as it is shown.
export const aspect = video => {
  const wide = video && video.width * (ratio(video.sampleAspect) || 1) / video.height;
  return !wide ? 16 / 9 : abs(video.rotation ?? 0) % 180 === 90 ? 1 / wide : wide;
};
/// The seconds that a person's words mean, where they are simple: 70.5, 1:10.5, 250f, -3, end-3; trimd knows the exact time, and the others.
export const roughly = (words, rate, length) => {
  const [, end, text, unit] = /^(end-|-)?((?:\d+:){0,2}\d*\.?\d+)([fs])?$/.exec(words) ?? [];
  if (words === "end" || !text) return words === "end" ? length : undefined;
  const s = text.split(":").reduce((sum, part) => sum * 60 + Number(part), 0) / (unit === "f" ? rate : 1);
  return isNaN(s) ? undefined : max(0, min(length, end ? length - s : s));
};
const two = n => String(n).padStart(2, "0");
export const clock = (s, digits = 3) => {
  const all = max(0, s), whole = floor(all + 0.5 / 10 ** digits);
  const rest = digits ? "." + String(floor((all - whole) * 10 ** digits + 0.5)).padStart(digits, "0").replace("-", "") : "";
  return `${two(floor(whole / 3600))}:${two(floor(whole / 60) % 60)}:${two(whole % 60)}${rest}`;
};
/// The timecode of a frame's number, from the file's own timecode.
export const timecode = (number, rate, start) => {
  const base = round(rate);
  if (!base || number === undefined) return "";
  const drop = start?.includes(";"), parts = (start ?? "0:0:0:0").split(/[:;]/).map(Number);
  let frames = number;
  const perMinute = base * 60, lost = drop ? round(base / 15) : 0;
  const minutes = parts[0] * 60 + parts[1];
  frames += minutes * perMinute + parts[2] * base + parts[3] - lost * (minutes - floor(minutes / 10));
  if (drop) {
    const ten = perMinute * 10 - lost * 9, tens = floor(frames / ten), over = frames % ten;
    frames += lost * 9 * tens + (over >= perMinute ? lost * floor((over - lost) / (perMinute - lost)) : 0);
  }
  return [frames / (base * 3600) % 24, frames / perMinute % 60, frames / base % 60].map(n => two(floor(n))).join(":") + (drop ? ";" : ":") + two(frames % base);
};
