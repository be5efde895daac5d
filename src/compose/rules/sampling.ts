import type { OtlpSpan } from '../../load/imports/formats/otlp/otlp-span.ts';
import type { SampleRule, TraceMatch } from '../config/collect-config.ts';

/** Whether a trace is kept. The same trace is decided alike each time, and by every collector. */
export function isSampled(rules: readonly SampleRule[], traceId: string, spans: readonly OtlpSpan[]): boolean {
  const rule = rules.find((each) => matchesTrace(each, spans));
  return rule === undefined || shareOf(traceId) < rule.keep;
}

/** Ids of traces are random: their last digits are a number from 0 to 1. */
function shareOf(traceId: string): number {
  return Number.parseInt(traceId.slice(-12), 16) / 16 ** 12;
}

/** Whether a trace is one of those that are meant. */
export function matchesTrace(
  { service, name, status, slowerThanSecs, attributes }: TraceMatch,
  spans: readonly OtlpSpan[],
): boolean {
  if (service !== undefined && !spans.some((span) => isLike(span.service, service))) return false;
  if (name !== undefined && !spans.some((span) => isLike(span.name, name))) return false;
  if (status !== undefined && spans.some(({ isFailed }) => isFailed) !== (status === 'error')) return false;
  if (slowerThanSecs !== undefined && durationMs(spans) <= slowerThanSecs * 1_000) return false;
  return Object.entries(attributes ?? {}).every(([key, wanted]) =>
    spans.some((span) => isLike(span.attributes[key], wanted)),
  );
}

function durationMs(spans: readonly OtlpSpan[]): number {
  const lengths = spans.map(({ startMs, endMs }) =>
    startMs === undefined || endMs === undefined ? 0 : endMs - startMs,
  );
  return lengths.reduce((longest, length) => Math.max(longest, length), 0);
}

function isLike(value: unknown, pattern: string): boolean {
  if (value === undefined || value === null) return false;
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found === -1 || found + piece.length > text.length - last.length) return false;
    at = found + piece.length;
  }
  return true;
}
