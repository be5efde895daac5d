import { isRecord } from '../../../../shared/json.ts';
import type { ImportFormat } from '../../import-format.ts';
import { someObject } from '../../sample.ts';
import { trialOfTrajectory } from './atif-trial.ts';

const version = /^ATIF-v(\d+)\.(\d+)$/;
/** The newest version that we know. All versions are read alike: members that a file does not have are unknown. */
const newestMinor = 8;

/** Trajectories in the Agent Trajectory Interchange Format, as Harbor writes them: a document, or one a line. */
export const atif: ImportFormat = {
  name: 'atif',
  summary: 'trajectories in the Agent Trajectory Interchange Format (ATIF 1.0 to 1.8), as Harbor writes them',
  reports: ['tool-calls'],
  recognises: (sample) =>
    someObject(sample, ({ schema_version }) => typeof schema_version === 'string' && version.test(schema_version)) ||
    /^\s*\{[^[]{0,2000}"schema_version"\s*:\s*"ATIF-v\d/.test(sample.text),
  lacks: (sample) =>
    someObject(sample, (object) => 'steps' in object) ? '`schema_version` (ATIF-v1.0 to ATIF-v1.8)' : undefined,
  async *read(source) {
    for await (const { value, line } of source.records()) {
      const wrong = whyUnreadable(value);
      if (wrong !== undefined) source.problem(line, wrong);
      else if (isRecord(value)) yield trialOfTrajectory(value, line, source);
    }
  },
};

function whyUnreadable(value: unknown): string | undefined {
  if (!isRecord(value) || typeof value.schema_version !== 'string') {
    return 'not a trajectory: `schema_version` is missing';
  }
  const [, major, minor] = version.exec(value.schema_version) ?? [];
  if (major !== '1' || Number(minor) > newestMinor) {
    return `\`schema_version\` "${value.schema_version}" is not supported: versions ATIF-v1.0 to ATIF-v1.${newestMinor} are`;
  }
  return Array.isArray(value.steps) ? undefined : 'not a trajectory: `steps` is not a list';
}
