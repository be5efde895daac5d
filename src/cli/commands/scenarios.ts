import { openProject } from '../../compose/config.ts';
import { projectPaths, selectScenarios } from '../../compose/prepare-run.ts';
import { completeRequest } from '../../compose/run-project.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';
import { integerOption, listOption, textOption } from '../option-values.ts';
import { exportLines, importLines } from '../scenario-lines.ts';

const tierLabels = ['smoke', 'quick', 'standard', 'comprehensive'];

/** `assay scenarios`: what there is to run. */
export const scenarios: CliCommand = {
  configure(command) {
    command
      .argument('[paths...]', 'scenario files or folders; by default those of the config')
      .option('--tags <tags>', 'only scenarios with any of these tags', listOption)
      .option('--tier <n>', 'only scenarios of this tier or below', integerOption(0))
      .option('--export <file>', 'write the conversations as JSON Lines, one per line; - prints them', textOption)
      .option('--import <file>', 'make a scenario file of each line of a JSON Lines file', textOption)
      .option('-o, --output <dir>', 'folder for imported scenarios', textOption)
      .option('--json', 'print one JSON document');
  },
  async run({ args, options, context }) {
    if (typeof options.import === 'string')
      return importLines(options.import, options.output as string | undefined, context);
    const project = await openProject(context.cwd, context.env);
    const tier = (options.tier as number | undefined) ?? null;
    const paths = projectPaths(args, context.cwd, project);
    const request = completeRequest({ paths, tags: options.tags as string[] | undefined, tier }, project);
    const found = (await selectScenarios(request, project, { isJudgeForced: false, env: context.env })).scenarios;
    if (typeof options.export === 'string') return exportLines(options.export, found, project.folder, context);
    if (options.json) {
      const list = found.map(({ name, description, file, tags, tier: level, caseCount, repeat }) => ({
        name,
        description,
        file,
        tags,
        tier: level,
        cases: caseCount,
        repeat,
      }));
      await write(context.stdout, `${JSON.stringify(list, null, 2)}\n`);
      return 0;
    }
    const lines = found.map(({ name, description, tags, tier: level, caseCount }) => {
      const tagged = tags.length > 0 ? ` [${tags.join(', ')}]` : '';
      const cases = caseCount > 1 ? ` (${caseCount} cases)` : '';
      return `  [${tierLabel(level)}] ${name}${tagged}${cases}${description ? ` - ${description.trim().split('\n')[0]}` : ''}`;
    });
    await write(
      context.stdout,
      `Available scenarios${tier === null ? '' : ` (tier ${tierLabel(tier)})`}:\n${lines.join('\n')}\n`,
    );
    return 0;
  },
};

function tierLabel(tier: number): string {
  return tierLabels[tier] ?? `tier ${tier}`;
}
