import { isRecord } from '../../shared/json.ts';
import { seededRandom } from '../../shared/seeded-random.ts';
import { sampleText } from '../arguments/sample-scalars.ts';
import type { ListedItem } from '../definitions/listed-server.ts';
import { acceptedProblems, requestProblems } from '../session/request-findings.ts';
import { type Feature, type FeatureContext, FeatureTally } from './feature.ts';
import { featureRules } from './feature-rules.ts';

const strangePrompt = 'assay_no_such_prompt';

/** Prompts are filled in with suggested or made arguments. */
export const prompts: Feature = {
  name: 'prompts',
  isOffered: ({ prompts }) => prompts.length > 0,
  async check(context) {
    const { server, listed } = context;
    const tally = new FeatureTally();
    await tally.tryEach(listed.prompts, server, async (prompt) => {
      const { name } = prompt;
      const required = requiredArguments(prompt);
      const { values, areSuggested } = await argumentsFor(prompt, required, context);
      const end = await server.request('prompts/get', { name, arguments: values });
      const refused = areSuggested ? featureRules.promptFailed : featureRules.promptRefused;
      const rules = { refused, malformed: featureRules.promptMalformed };
      tally.add(requestProblems(`\`${name}\``, end, rules, messagesDefect));
      if (required.length === 0) return;
      const without = await server.request('prompts/get', { name, arguments: {} });
      const what = `\`${name}\` without \`${required.join('`, `')}\``;
      tally.note(acceptedProblems(what, without, featureRules.promptArgumentsUnchecked));
    });
    if (server.lost === undefined) {
      const strange = await server.request('prompts/get', { name: strangePrompt, arguments: {} });
      tally.note(acceptedProblems(`\`${strangePrompt}\``, strange, featureRules.unknownPromptAccepted));
    }
    return tally.outcome();
  },
};

/** Names of the arguments of a prompt. */
export function promptArguments({ definition }: ListedItem): { readonly name: string; readonly isRequired: boolean }[] {
  const listed = Array.isArray(definition.arguments) ? definition.arguments.filter(isRecord) : [];
  return listed.flatMap(({ name, required }) =>
    typeof name === 'string' ? [{ name, isRequired: required === true }] : [],
  );
}

function requiredArguments(prompt: ListedItem): string[] {
  return promptArguments(prompt).flatMap(({ name, isRequired }) => (isRequired ? [name] : []));
}

/** Values for the required arguments; made up where the server suggests none, which it may rightly refuse. */
async function argumentsFor(prompt: ListedItem, required: readonly string[], { suggestions }: FeatureContext) {
  const values: Record<string, string> = {};
  let areSuggested = true;
  for (const argument of required) {
    const suggested = await suggestions.first({ type: 'ref/prompt', name: prompt.name }, argument);
    values[argument] = suggested ?? sampleText({}, argument, 'usual', seededRandom(1));
    areSuggested &&= suggested !== undefined;
  }
  return { values, areSuggested };
}

function messagesDefect({ messages }: Readonly<Record<string, unknown>>): string | undefined {
  if (!Array.isArray(messages)) return '`messages` is not a list.';
  const wrong = messages.findIndex((message: unknown) => {
    if (!isRecord(message) || !isRecord(message.content)) return true;
    return typeof message.content.type !== 'string' || !['user', 'assistant'].includes(String(message.role));
  });
  return wrong === -1
    ? undefined
    : `\`messages[${wrong}]\` needs a \`role\` of user or assistant, and a \`content\` block.`;
}
