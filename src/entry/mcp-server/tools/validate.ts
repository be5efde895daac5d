import * as z from 'zod';
import { checkScenarios } from '../../../compose/run/check-scenarios.ts';
import { checkTargets } from '../../../compose/run/check-targets.ts';
import { pathsWithin } from '../../../compose/run/prepare-run.ts';
import { formatPosition } from '../../../domain/errors.ts';
import type { Problem } from '../../../domain/problem.ts';
import { counted } from '../../../shared/format.ts';
import { defineTool, onlyReads, pageOf, projectOf, scenarioChoice } from '../served-tool.ts';
import { boundedAnswer, clipped, moreText } from '../text.ts';

const problemSchema = z.object({
  at: z.string().describe('file:line:column'),
  message: z.string(),
  hint: z.string().optional(),
});

const { paths } = scenarioChoice();

/** The problems of scenario files. */
export const validate = defineTool({
  name: 'validate',
  title: 'Check scenario files',
  description:
    'Check scenario files without running anything: scenarios in JavaScript and TypeScript are reported as unchecked. Every problem comes with file, line and column and, where it is known, with what to do. Use it after writing or changing a scenario file and before `run`.',
  annotations: onlyReads,
  inputSchema: z.strictObject({ paths, ...pageOf(50, 200) }),
  outputSchema: z.object({
    valid: z.boolean().describe('there are scenarios and no problems'),
    scenarios: z.number(),
    cases: z.number(),
    problemCount: z.number(),
    problems: z.array(problemSchema),
    warnings: z.array(problemSchema).describe('the file can be run, but probably contains a mistake'),
    otherFiles: z.array(z.string()).describe('data files beside the scenarios that are not scenarios'),
    more: z.string().nullable(),
  }),
  async call({ paths: given, from, limit }, context) {
    const project = await projectOf(context);
    const checked = await checkScenarios(pathsWithin(given, context.folder, project), project, context.env, {
      executesModules: false,
    });
    const targets = await checkTargets(checked.scenarios, project.folder, context.env);
    const found = {
      ...checked,
      problems: [...checked.problems, ...targets.problems],
      warnings: [...checked.warnings, ...targets.warnings],
    };
    const problems = found.problems.slice(from, from + limit).map(shownProblem);
    const warnings = found.warnings.slice(0, limit).map(shownProblem);
    const problemCount = found.problems.length;
    const cases = found.scenarios.reduce((total, { caseCount }) => total + caseCount, 0);
    const more = moreText({ from, count: problems.length, total: problemCount }, 'problems');
    const summary = `${counted(found.scenarios.length, 'scenario')} with ${counted(cases, 'case')}, ${counted(problemCount, 'problem')}`;
    const data = {
      valid: problemCount === 0 && found.scenarios.length > 0,
      scenarios: found.scenarios.length,
      cases,
      problemCount,
      problems,
      warnings,
      otherFiles: found.otherFiles.slice(0, limit),
      more,
    };
    const lines = [...problems.map(problemLine), ...warnings.map((warning) => `warning: ${problemLine(warning)}`)];
    return { data, text: boundedAnswer([summary, ...lines, more ?? '']) };
  },
});

function shownProblem({ at, message, hint }: Problem) {
  return { at: formatPosition(at), message: clipped(message), ...(hint ? { hint: clipped(hint) } : {}) };
}

function problemLine({ at, message, hint }: ReturnType<typeof shownProblem>): string {
  return `${at}: ${message}${hint ? ` (${hint})` : ''}`;
}
