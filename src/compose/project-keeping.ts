import { join } from 'node:path';
import type { Keeping } from '../engine/keeping.ts';
import { redactDeep, rememberingClean } from '../shared/redaction/redaction.ts';
import { artifactsFolder } from './artifacts-folder.ts';
import type { Project } from './config.ts';
import { projectRedaction } from './secrets.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What becomes of the finished trials of a project: nothing secret is kept, and agents' work lies in its folder. */
export function projectKeeping(project: Project, env: Env, secrets: readonly string[] = []): Keeping {
  const redact = rememberingClean(projectRedaction(project, env, secrets));
  const root = artifactsFolder(project);
  return {
    redact: (finished) => redactDeep(finished, redact),
    async leaveArtifacts(trial, { record, trace }) {
      if (record.artifacts === null) return;
      const { writeArtifacts } = await import('../keep/artifacts/write-artifacts.ts');
      await writeArtifacts({ trial, trace, record, folder: join(root, record.artifacts), resultsFolder: root, redact });
    },
  };
}
