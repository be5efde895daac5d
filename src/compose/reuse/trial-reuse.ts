import { join } from 'node:path';
import type { RunOptions } from '../../domain/run-options/index.ts';
import type { TrialReuse } from '../../engine/record-sink.ts';
import { once } from '../../shared/async.ts';
import type { Project } from '../config/project.ts';
import type { ProjectAgents } from '../config/project-agents.ts';
import { type JudgeOptions, ProjectJudging } from '../judge/judging.ts';

interface ReuseOptions {
  readonly project: Project;
  readonly agents: ProjectAgents;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `reuse` true: every trial with a CLI tool; undefined: those whose files request it; false: none. */
  readonly options: JudgeOptions & Pick<RunOptions, 'reuse'>;
}

/** The kept results of a project; loaded when the first trial with an agent needs one. */
export function trialReuseIn({ project, agents, env, options }: ReuseOptions): TrialReuse | undefined {
  const { reuse, record, replay } = options;
  const isRecorded = record !== undefined || replay !== undefined;
  if (reuse === false || isRecorded) return undefined;
  const judging = new ProjectJudging(project, options, env);
  const load = once(async () => {
    const [{ trialCache }, { TrialKeys }, { judgeModes }, { lookVersion, withRulesVersion }] = await Promise.all([
      import('./trial-cache.ts'),
      import('./trial-key.ts'),
      import('../../score/judge/index.ts'),
      import('../../score/judge/compose-prompt.ts'),
    ]);
    const { folder, config } = project;
    const { judge, samples, judgeAlways, judgeProbes, judgePrompt = config.judge.prompt } = options;
    const versions = judgeModes.map(({ promptVersion }) => withRulesVersion(promptVersion, judgePrompt));
    const prompts = [...versions, lookVersion];
    const settings = {
      judge,
      samples,
      judgeAlways,
      judgeProbes,
      config: config.judge,
      embedding: config.models.embedding,
      prompts,
    };
    const judgeOf: ConstructorParameters<typeof TrialKeys>[0]['judgeOf'] = async ({ scenario }) => ({
      settings,
      models: judging.modelNames(scenario.judge),
      servers: await judging.judgeServers(scenario.judge),
    });
    const keys = new TrialKeys({ agents, env, folder, plugins: config.plugins, judgeOf });
    return trialCache({ folder: join(folder, '.assay', 'trial-cache'), keys, isRequested: reuse === true });
  });
  return { open: async (trial, warn) => (await load()).open(trial, warn) };
}
