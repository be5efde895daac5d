import { useEffect, useState } from 'react';

/** The pages speak English; asking the browser for names of months would take longer than drawing a whole list. */
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How long ago something was, for people: `just now`, `12 min ago`, `3 h ago`, then the day. */
export function agoText(at: number, now: number): string {
  const passedMs = now - at;
  if (!Number.isFinite(at)) return 'unknown time';
  if (passedMs < -minuteMs) return dayText(at, now);
  if (passedMs < minuteMs) return 'just now';
  if (passedMs < hourMs) return `${Math.floor(passedMs / minuteMs)} min ago`;
  if (passedMs < dayMs) return `${Math.floor(passedMs / hourMs)} h ago`;
  if (passedMs < 7 * dayMs) return passedMs < 2 * dayMs ? '1 day ago' : `${Math.floor(passedMs / dayMs)} days ago`;
  return dayText(at, now);
}

/** The day; with the year only where it is another. */
function dayText(at: number, now: number): string {
  const date = new Date(at);
  const day = `${date.getDate()} ${months[date.getMonth()]}`;
  return date.getFullYear() === new Date(now).getFullYear() ? day : `${day} ${date.getFullYear()}`;
}

/** Day and time in short: `17 Nov 09:01`. */
export function dayAndTime(at: number): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return 'unknown time';
  const [hours, minutes] = [date.getHours(), date.getMinutes()].map((part) => String(part).padStart(2, '0'));
  return `${date.getDate()} ${months[date.getMonth()]} ${hours}:${minutes}`;
}

/** Day and time in full, in the reader's time zone. */
export function fullTimeText(at: number, locale?: string): string {
  if (!Number.isFinite(at)) return 'unknown time';
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at));
}

/** How long something will take, roughly: no one believes the seconds of an hour. */
export function leftText(seconds: number): string {
  if (seconds < 10) return 'a few seconds left';
  if (seconds < 90) return `about ${Math.round(seconds / 10) * 10} s left`;
  if (seconds < 90 * 60) return `about ${Math.round(seconds / 60)} min left`;
  return `about ${(seconds / 3600).toFixed(1)} h left`;
}

/** The current time, updated regularly. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
