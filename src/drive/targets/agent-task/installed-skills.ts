import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSkill } from '../../../domain/skill.ts';
import type { TraceEventOf } from '../../../domain/trace.ts';
import { instructionsOf } from '../../agents/agent.ts';
import type { AgentRun } from './agent-run.ts';

/** A skill in the work directory, and the lines by which its instructions are recognised. */
export type InstalledSkill = NonNullable<TraceEventOf<'agent-started'>['skills']>[number];

/** The skills that lie in the work directory of a trial, as the agent finds them when it starts. */
export async function installedSkills({ trial, config, agent, workspace }: AgentRun): Promise<InstalledSkill[]> {
  const [place = ''] = instructionsOf(agent).skillFolders;
  const wanted = trial.variant.skills === undefined ? [] : (config.skills[trial.variant.skills] ?? []);
  return Promise.all(
    wanted.map(async ({ name }) => {
      const folder = join(place, name);
      const skill = parseSkill(await readFile(join(workspace.directory, folder, 'SKILL.md'), 'utf8'));
      return { name, folder, signature: 'problem' in skill ? [] : [...skill.signature] };
    }),
  );
}
