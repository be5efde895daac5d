import { isRecord } from '../../shared/json.ts';
import { requestProblems } from '../session/request-findings.ts';
import { type Feature, FeatureTally } from './feature.ts';
import { featureRules } from './feature-rules.ts';
import { promptArguments } from './prompts.ts';
import { templateVariables } from './resources.ts';
import { completionValues } from './suggestions.ts';

const mostValues = 100;

/** Every argument of a prompt and every variable of a template is completed once. */
export const completions: Feature = {
  name: 'completions',
  isOffered: ({ facts }) => isRecord(facts.capabilities.completions),
  async check({ server, listed, suggestions }) {
    const tally = new FeatureTally();
    const ofPrompts = listed.prompts.flatMap((prompt) =>
      promptArguments(prompt).map(({ name }) => ({ ref: { type: 'ref/prompt', name: prompt.name } as const, name })),
    );
    const ofTemplates = listed.resourceTemplates.flatMap((template) => {
      const uri = String(template.definition.uriTemplate);
      return (templateVariables(template) ?? []).map((name) => ({ ref: { type: 'ref/resource', uri } as const, name }));
    });
    const all = [...ofPrompts, ...ofTemplates];
    await tally.tryEach(all, server, async ({ ref, name }) => {
      const what = `\`${name}\` of \`${ref.type === 'ref/prompt' ? ref.name : ref.uri}\``;
      const rules = { refused: featureRules.completionFailed, malformed: featureRules.completionMalformed };
      tally.add(requestProblems(what, await suggestions.request(ref, name), rules, valuesDefect));
    });
    if (all.length === 0) tally.leaveOut('no prompt and no template has an argument');
    return tally.outcome();
  },
};

function valuesDefect(result: Readonly<Record<string, unknown>>): string | undefined {
  const values = completionValues(result);
  if (values === undefined) return '`completion.values` is not a list.';
  if (values.some((value) => typeof value !== 'string')) return '`completion.values` holds something else than texts.';
  return values.length > mostValues ? `\`completion.values\` has ${values.length} entries.` : undefined;
}
