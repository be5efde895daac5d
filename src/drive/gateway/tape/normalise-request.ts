import { isRecord } from '../../../shared/json.ts';
import { redactDeep } from '../../../shared/redaction/redaction.ts';
import { replaced, type TrialPaths } from '../../tape/trial-paths.ts';
import { volatileFields, volatileTexts } from './volatile-parts.ts';

const anywhere = new Set(volatileFields.filter(({ where }) => where === 'anywhere').map(({ key }) => key));
const atTheTop = new Set(volatileFields.map(({ key }) => key));

interface Surroundings {
  readonly paths: TrialPaths;
  readonly redact: (text: string) => string;
  /** Version of the agent, which many agents put into their prompts. */
  readonly agentVersion: string | null;
}

/** Gives a request without the parts that differ between two runs of the same agent on the same task. */
export function requestNormaliser({ paths, redact, agentVersion }: Surroundings): (request: unknown) => unknown {
  const version = agentVersion?.match(/\d+(?:\.\d+)+[\w.+-]*/)?.[0];
  const normaliseText = (text: string): string => {
    const named = redact(replaced(text, paths.toNames));
    const unversioned = version === undefined ? named : named.replaceAll(version, '<agent version>');
    return volatileTexts.reduce((clean, { pattern, becomes }) => clean.replace(pattern, becomes), unversioned);
  };
  const normalise = (value: unknown, leftOut: ReadonlySet<string>): unknown => {
    if (typeof value === 'string') return normaliseText(value);
    if (typeof value === 'number') return isTime(value) ? '<time>' : value;
    if (Array.isArray(value)) return value.map((item) => normalise(item, anywhere));
    if (!isRecord(value)) return value;
    const kept = Object.entries(value).filter(([key]) => !leftOut.has(key));
    return Object.fromEntries(kept.map(([key, item]) => [normaliseText(key), normalise(item, anywhere)]));
  };
  // Requests are compared in the form in which the tape may hold them.
  return (request) => redactDeep(normalise(request, atTheTop), redact);
}

/** Milliseconds since 1970, in the years in which agents work. */
function isTime(value: number): boolean {
  return value > 1.6e12 && value < 2e12;
}
