import type { Loss } from '../../../../domain/loss.ts';
import { parseJson } from '../../coerce.ts';
import { lost } from '../../losses.ts';
import type { OtlpSpan } from './otlp-span.ts';

/** Names of attributes with what was said, called and answered. */
const contentNames =
  /(?:messages?|content|prompt|completion|arguments|args|result|response|input|output|text|body)(?:\.|_|$|s$)/i;
/** Exporters are set to limits of so many characters. */
const limits: ReadonlySet<number> = new Set([
  ...Array.from({ length: 14 }, (_, index) => 128 * 2 ** index),
  ...[1_000, 2_000, 4_000, 5_000, 8_000, 10_000, 12_000, 16_000, 20_000, 32_000, 50_000, 64_000, 65_535, 100_000],
]);

/** Texts of a span that were probably cut: exactly as long as a limit, and not whole JSON. */
export function cutAttributes({ attributes, events }: OtlpSpan): Loss[] {
  const places = [attributes, ...events.map((event) => event.attributes)];
  return places.flatMap((place) =>
    Object.entries(place).flatMap(([name, value]) =>
      typeof value === 'string' && isCut(name, value)
        ? [{ channels: lost.message, reason: `\`${name}\` ends at a limit of ${value.length} characters` }]
        : [],
    ),
  );
}

function isCut(name: string, text: string): boolean {
  return (
    limits.has(text.length) && contentNames.test(name) && !(/^\s*[[{"]/.test(text) && parseJson(text) !== undefined)
  );
}
