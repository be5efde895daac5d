import { openProject } from '../../compose/config.ts';
import { registeredParts } from '../../compose/parts.ts';
import { projectPaths } from '../../compose/prepare-run.ts';
import { ProblemsError } from '../../domain/problem.ts';
import { loadScenarios } from '../../scenarios/load.ts';
import { counted } from '../../shared/numbers.ts';
import type { CliCommand } from '../command.ts';
import { write } from '../context.ts';

/** `assay validate`: every problem of every file with its place. */
export const validate: CliCommand = {
  configure(command) {
    command
      .argument('[paths...]', 'scenario files or folders; by default those of the config')
      .option('--json', 'print the problems as one JSON document');
  },
  async run({ args, options, context }) {
    const project = await openProject(context.cwd, context.env);
    const { scenarios, problems, otherFiles } = await loadScenarios({
      paths: projectPaths(args, context.cwd, project),
      folder: project.folder,
      parts: registeredParts,
      defaults: { timeoutSecs: project.config.timeoutSecs },
    });
    if (options.json) {
      await write(
        context.stdout,
        `${JSON.stringify({ scenarios: scenarios.length, problems, otherFiles }, null, 2)}\n`,
      );
      return problems.length > 0 ? 2 : 0;
    }
    if (problems.length > 0) throw new ProblemsError(problems);
    const cases = scenarios.reduce((total, scenario) => total + scenario.caseCount, 0);
    const others =
      otherFiles.length > 0 ? `; ${counted(otherFiles.length, 'other data file')}: ${otherFiles.join(', ')}` : '';
    await write(
      context.stdout,
      `${counted(scenarios.length, 'scenario')} with ${counted(cases, 'case')}: no problems${others}\n`,
    );
    return 0;
  },
};
