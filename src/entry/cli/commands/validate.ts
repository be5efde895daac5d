import { openProject, type Project } from '../../../compose/config/project.ts';
import type { ProvenScenarios, proveScenarios } from '../../../compose/prove/prove-scenarios.ts';
import type { checkModels } from '../../../compose/run/check-models.ts';
import { checkScenarios } from '../../../compose/run/check-scenarios.ts';
import { checkTargets } from '../../../compose/run/check-targets.ts';
import { placesText, projectPaths } from '../../../compose/run/prepare-run.ts';
import { AssayError } from '../../../domain/errors.ts';
import { formatProblem, type Problem, ProblemsError } from '../../../domain/problem.ts';
import { counted } from '../../../shared/format.ts';
import type { CliCommand } from '../command.ts';
import { type CliContext, write } from '../context.ts';

/** `assay validate`: every problem of every file with its place. */
export const validate: CliCommand = {
  configure(command) {
    command
      .argument('[paths...]', 'scenario files or folders; by default those of the config')
      .option('--prove', 'run each scenario with an agent that does nothing and with its solution')
      .option('--json', 'print one JSON document with the problems');
  },
  async run({ args, options, context }) {
    const project = await openProject(context.cwd, context.env);
    const paths = projectPaths(args, context.cwd, project);
    const checked = await checkScenarios(paths, project, context.env);
    const targets = await checkTargets(checked.scenarios, project.folder, context.env);
    const ofModels = await unknownModels(checked.scenarios, project, context.env);
    const ofRules = await problemsOfRules(project, context.env);
    const { scenarios, otherFiles } = checked;
    const proof =
      options.prove && checked.problems.length === 0 ? await prove(scenarios, project, context.env) : undefined;
    const problems = [...ofRules, ...checked.problems, ...targets.problems, ...(proof?.problems ?? [])];
    const warnings = [...checked.warnings, ...targets.warnings, ...ofModels, ...(proof?.warnings ?? [])];
    const isNothing = scenarios.length === 0 && problems.length === 0;
    if (options.json) {
      await write(
        context.stdout,
        `${JSON.stringify({ scenarios: scenarios.length, problems, warnings, otherFiles }, null, 2)}\n`,
      );
      return problems.length > 0 || isNothing ? 2 : 0;
    }
    for (const warning of warnings) await write(context.stderr, `warning: ${formatProblem(warning)}\n`);
    if (problems.length > 0) throw new ProblemsError(problems);
    if (isNothing) {
      const hint = 'Create a starter project with `assay init`, or name a scenario file.';
      throw new AssayError('NOTHING_TO_RUN', `There are no scenarios in ${placesText(paths)}.`, { hint });
    }
    const cases = scenarios.reduce((total, scenario) => total + scenario.caseCount, 0);
    const others =
      otherFiles.length > 0 ? `; ${counted(otherFiles.length, 'other data file')}: ${otherFiles.join(', ')}` : '';
    const warned = warnings.length > 0 ? `, ${counted(warnings.length, 'warning')}` : '';
    await write(
      context.stdout,
      `${counted(scenarios.length, 'scenario')} with ${counted(cases, 'case')}: no problems${warned}${others}\n`,
    );
    return 0;
  },
};

async function problemsOfRules(project: Project, env: CliContext['env']): Promise<readonly Problem[]> {
  if (Object.keys(project.config.rules).length === 0) return [];
  return (await (await import('../../../compose/rules/prepare-rules.ts')).checkRules(project, env)).problems;
}

async function unknownModels(...checked: Parameters<typeof checkModels>): Promise<readonly Problem[]> {
  return (await import('../../../compose/run/check-models.ts')).checkModels(...checked);
}

async function prove(...tried: Parameters<typeof proveScenarios>): Promise<ProvenScenarios> {
  return (await import('../../../compose/prove/prove-scenarios.ts')).proveScenarios(...tried);
}
