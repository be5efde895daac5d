import * as z from 'zod';
import { pathsWithin, selectScenarios } from '../../../compose/run/prepare-run.ts';
import { counted } from '../../../shared/format.ts';
import { defineTool, onlyReads, pageOf, projectOf, scenarioChoice } from '../served-tool.ts';
import { boundedAnswer, clipped, moreText } from '../text.ts';

const scenarioSchema = z.object({
  name: z.string(),
  description: z.string(),
  file: z.string(),
  tags: z.array(z.string()),
  tier: z.number(),
  cases: z.number(),
  repeat: z.number(),
});

/** The scenarios that can be run. */
export const listScenarios = defineTool({
  name: 'list_scenarios',
  title: 'List scenarios',
  description:
    'List the evaluation scenarios of this project with their names, files, tags and number of cases. Runs none of them; scenarios in JavaScript and TypeScript are executed to read them. Use it first, to find the name or the file that `run` takes.',
  annotations: { ...onlyReads, readOnlyHint: false },
  inputSchema: z.strictObject({ ...scenarioChoice(), ...pageOf(50, 200) }),
  outputSchema: z.object({
    total: z.number(),
    scenarios: z.array(scenarioSchema),
    more: z.string().nullable().describe('how to see the rest; null when this is all'),
  }),
  async call({ paths, tags, tier, from, limit }, context) {
    const project = await projectOf(context);
    const request = { paths: pathsWithin(paths, context.folder, project), tags, tier };
    const found = (await selectScenarios(request, project, { env: context.env })).scenarios;
    const scenarios = found.slice(from, from + limit).map((scenario) => ({
      name: scenario.name,
      description: clipped(scenario.description, 200),
      file: scenario.file,
      tags: [...scenario.tags],
      tier: scenario.tier,
      cases: scenario.caseCount,
      repeat: scenario.repeat,
    }));
    const total = found.length;
    const more = moreText({ from, count: scenarios.length, total }, 'scenarios');
    const lines = scenarios.map(({ name, file, cases, description, tags: of }) => {
      const tagged = of.length > 0 ? ` [${of.join(', ')}]` : '';
      return `- ${clipped(name)} (${file}, ${counted(cases, 'case')})${tagged}${description && `: ${description}`}`;
    });
    return {
      data: { total, scenarios, more },
      text: boundedAnswer([counted(total, 'scenario'), ...lines, more ?? '']),
    };
  },
});
