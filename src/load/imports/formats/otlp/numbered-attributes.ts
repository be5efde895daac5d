import type { Loss } from '../../../../domain/loss.ts';
import { lost } from '../../losses.ts';
import type { JsonObject } from './otlp-span.ts';

/**
 * The parts of a list that is written as attributes: `prefix.0.role`, `prefix.0.content`, `prefix.1.role`. Each has the
 * attributes of its number without that. A number that is missing is a loss.
 */
export function numberedParts(
  attributes: JsonObject,
  prefix: string,
): { readonly parts: readonly JsonObject[]; readonly losses: readonly Loss[] } {
  const parts = new Map<number, Record<string, unknown>>();
  for (const [name, value] of Object.entries(attributes)) {
    if (!name.startsWith(`${prefix}.`)) continue;
    const [, number, rest = ''] = /^(\d{1,6})\.(.+)$/s.exec(name.slice(prefix.length + 1)) ?? [];
    if (number === undefined) continue;
    const part = parts.get(Number(number)) ?? {};
    part[rest] = value;
    parts.set(Number(number), part);
  }
  const numbers = [...parts.keys()].sort((a, b) => a - b);
  const isWhole = numbers.every((number, index) => number === index);
  return {
    parts: numbers.map((number) => parts.get(number) ?? {}),
    losses: isWhole ? [] : [{ channels: lost.message, reason: `a part of \`${prefix}\` is missing` }],
  };
}
