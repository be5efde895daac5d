import { join } from 'node:path';
import type { TrialReuse } from '../engine/keeping.ts';
import type { Project } from './config.ts';
import type { JudgeFlags } from './judge-settings.ts';
import { ProjectJudging } from './judging.ts';
import type { ProjectAgents } from './project-agents.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The kept results of a project; loaded when the first trial with an agent asks for one. */
export function trialReuseIn(project: Project, agents: ProjectAgents, judge: JudgeFlags, env: Env): TrialReuse {
  const folder = join(project.folder, '.assay', 'trial-cache');
  const judging = new ProjectJudging(project, judge, env);
  let loaded: Promise<TrialReuse> | undefined;
  const load = (): Promise<TrialReuse> => {
    loaded ??= import('./trial-cache.ts').then(({ trialCache }) =>
      trialCache({ folder, agents, env, judgesOf: (trial) => judging.modelNames(trial.scenario.judge) }),
    );
    return loaded;
  };
  return {
    find: async (trial) => (await load()).find(trial),
    keep: async (trial, finished) => (await load()).keep(trial, finished),
  };
}
