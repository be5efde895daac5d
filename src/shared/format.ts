/** A whole or rounded number with thousands separated: `1,234`. Loading a locale for this would cost 20 ms. */
export function grouped(value: number): string {
  if (value > -1_000 && value < 1_000) return String(value);
  return String(value).replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',');
}

/** `1 trial`, `2 trials`, `1,200 trials`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${grouped(count)} ${count === 1 ? singular : plural}`;
}

/** With an upper-case first letter. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A share as whole percent: `48 %`. */
export function wholePercent(share: number): string {
  return `${Math.round(share * 100)} %`;
}

/** Stands for an unreported figure wherever people read it. */
export const unknownFigure = '–';

/** Dollars with as many digits as small amounts need; `–` where they were not reported. */
export function costText(usd: number | null): string {
  if (usd === null) return unknownFigure;
  if (!Number.isFinite(usd)) return 'unknown';
  if (usd === 0) return '$0';
  if (usd < 0.1) return `$${usd.toFixed(Math.min(12, Math.max(4, Math.ceil(-Math.log10(usd)))))}`;
  const [dollars, cents] = usd.toFixed(2).split('.');
  return `$${grouped(Number(dollars))}.${cents}`;
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

/** Milliseconds of a text such as `30d`, `12h` or `45m`; undefined when it is not one. */
export function parseDuration(text: string): number | undefined {
  const match = /^(\d+)\s*([smhdw])$/.exec(text.trim());
  if (!match?.[1] || !match[2]) return undefined;
  return Number(match[1]) * unitMs[match[2] as keyof typeof unitMs];
}

const unitBytes = { KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 } as const;

/** Bytes of a text such as `500MB` or `1.5 GB`; undefined when it is not one. */
export function parseBytes(text: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*([KMGT]B)$/i.exec(text.trim());
  if (!match?.[1] || !match[2]) return undefined;
  return Number(match[1]) * unitBytes[match[2].toUpperCase() as keyof typeof unitBytes];
}

/** A duration for people: `412 ms`, `3.2 s`, `4 min 10 s`; `–` where it was not measured. */
export function formatDuration(ms: number | null): string {
  if (ms === null) return unknownFigure;
  // The bounds lie where the shorter form would round up to a whole larger unit.
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

/** Seconds of a duration; null where it was not measured. */
export function secondsOf(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000;
}
