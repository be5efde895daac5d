import type { Agents } from '../../drive/agents/agent.ts';
import type { ReuseParts } from '../../engine/feature.ts';
import { once } from '../../shared/async.ts';
import type { Project } from '../config/project.ts';
import { type JudgeOptions, ProjectJudging } from '../judge/judging.ts';
import { version } from '../program.ts';

/** Inputs of a trial beside its files: another judge may answer something else. */
export function reusePartsOf(
  project: Project,
  agents: Agents,
  env: Readonly<Record<string, string | undefined>>,
  options: JudgeOptions,
): ReuseParts {
  const { config } = project;
  const judging = new ProjectJudging(project, options, env);
  const settings = once(async () => {
    const { judgeModes } = await import('../../score/judge/index.ts');
    const { lookVersion, withRulesVersion } = await import('../../score/judge/compose-prompt.ts');
    const { judge, samples, judgeAlways, judgeProbes, judgePrompt = config.judge.prompt } = options;
    const versions = judgeModes.map(({ promptVersion }) => withRulesVersion(promptVersion, judgePrompt));
    const prompts = [...versions, lookVersion];
    const { embedding } = config.models;
    return { judge, samples, judgeAlways, judgeProbes, config: config.judge, embedding, prompts };
  });
  return {
    version,
    agents,
    plugins: config.plugins,
    judgeOf: async (choice) => ({
      settings: await settings(),
      models: judging.modelNames(choice),
      servers: await judging.judgeServers(choice),
    }),
    serversOf: async (models) => {
      const opened = await judging.models();
      return Promise.all(models.map(async (name) => (await opened.find(name)).server));
    },
  };
}
