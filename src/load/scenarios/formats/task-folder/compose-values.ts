import * as z from 'zod';
import type { Readiness } from '../../../../drive/workspace/service-spec.ts';

const unitSecs: Readonly<Record<string, number>> = { us: 1e-6, ms: 1e-3, s: 1, m: 60, h: 3_600 };
const durationPattern = /^(?:\d+(?:\.\d+)?(?:us|ms|s|m|h))+$/;

/** A duration such as `1m30s`, in seconds. */
export const durationSecs = () =>
  z
    .string()
    .regex(durationPattern, { message: 'must be a duration such as `5s` or `1m30s`' })
    .transform((text) => {
      const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(us|ms|s|m|h)/g)];
      return parts.reduce((sum, [, count, unit = 's']) => sum + Number(count) * (unitSecs[unit] ?? 1), 0);
    });

/** Words of a command, which compose files write as a text or as a list; `$$` stands for a dollar. */
export function wordsIn(written: string | readonly string[]): string[] {
  const words = typeof written === 'string' ? (written.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? []) : written;
  return words.map((word) => {
    const bare = typeof written === 'string' ? word.replace(/'([^']*)'|"([^"]*)"/g, (_, one, two) => one ?? two) : word;
    return bare.replaceAll('$$', '$');
  });
}

interface Healthcheck {
  readonly test?: string | readonly string[] | undefined;
  readonly interval: number;
  readonly timeout: number;
  readonly start_period: number;
  readonly retries: number;
  readonly disable: boolean;
}

/** Undefined where nothing is checked. */
export function healthcheckOf({ test, disable, ...times }: Healthcheck): Readiness | undefined {
  const [kind, ...words] = typeof test === 'string' ? ['CMD-SHELL', test] : (test ?? ['NONE']);
  if (disable || kind === 'NONE' || words.length === 0) return undefined;
  const plain = words.map((word) => word.replaceAll('$$', '$'));
  return {
    command: kind === 'CMD-SHELL' ? plain.join(' ') : plain,
    intervalSecs: times.interval,
    timeoutSecs: times.timeout,
    startPeriodSecs: times.start_period,
    retries: times.retries,
  };
}
