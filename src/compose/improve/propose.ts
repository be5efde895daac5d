import * as z from 'zod';
import { AssayError } from '../../domain/errors.ts';
import type { Model, ModelMessage } from '../../drive/models/model.ts';
import { encodeData } from '../../drive/models/prompting/encode-data.ts';
import { contentNonce, raiseFence } from '../../drive/models/prompting/fence.ts';
import { readReply, replyJsonSchema } from '../../drive/models/prompting/read-reply.ts';
import { templateOf } from '../../drive/models/prompting/template.ts';
import promptText from './prompts/propose.v1.md?raw';
import repairText from './prompts/propose-repair.v1.md?raw';
import rulesText from './prompts/propose-rules.v1.md?raw';

/** Changes with every change of the wording. */
export const proposalPromptVersion = 'propose.v1+propose-rules.v1+propose-repair.v1';

const prompt = templateOf(promptText);
const rules = templateOf(rulesText);
const repair = templateOf(repairText);
const maxOutputTokens = 8_000;

const replySchema = z.object({
  ideas: z.array(
    z.object({
      title: z.string().min(1).max(300),
      rationale: z.string().max(4_000),
      edits: z
        .array(z.object({ find: z.string(), replace: z.string() }))
        .min(1)
        .max(20),
    }),
  ),
});
export type ProposedIdea = z.infer<typeof replySchema>['ideas'][number];

/** Everything that the model is shown; none of it is about held-out cases. */
interface ProposalMaterial {
  readonly form: string;
  readonly document: string;
  /** One JSON object each. */
  readonly failures: readonly string[];
  readonly traces: readonly string[];
  readonly earlier: readonly { readonly title: string; readonly result: string }[];
  readonly count: number;
}

/** The ideas of a reply, and what all requests cost; null where the price is not known. */
export interface ProposedIdeas {
  readonly ideas: readonly ProposedIdea[];
  readonly costUsd: number | null;
}

/** Asks for ideas, and once more with the problem where the reply cannot be read. */
export async function proposeIdeas(
  material: ProposalMaterial,
  model: Model,
  signal: AbortSignal,
): Promise<ProposedIdeas> {
  const { system, user } = promptOf(material);
  const messages: ModelMessage[] = [{ role: 'user', content: user }];
  let costUsd: number | null = 0;
  let problem = '';
  for (const _attempt of ['first', 'repaired']) {
    const output = { name: 'ideas', schema: replyJsonSchema(replySchema) };
    const reply = await model.generate({ system, messages, output, temperature: undefined, maxOutputTokens }, signal);
    costUsd = costUsd === null || reply.costUsd === null ? null : costUsd + reply.costUsd;
    const reading = readReply(reply.text, replySchema);
    if (reading.isReadable) return { ideas: reading.value.ideas.slice(0, material.count), costUsd };
    problem = reading.problem;
    if (reply.text.trim() !== '') messages.push({ role: 'assistant', content: reply.text });
    messages.push({ role: 'user', content: repair({ problem: encodeData(problem) }) });
  }
  throw new AssayError('MODEL_BAD_REPLY', `The reply of ${model.name} could not be read: ${problem}`, {
    hint: 'Use a stronger model with --proposer, then continue with --resume.',
  });
}

function promptOf({ form, document, failures, traces, earlier, count }: ProposalMaterial) {
  const data = {
    document: [encodeData(document)],
    failures: [...failures],
    traces: [...traces],
    earlier: earlier.map((idea) => encodeData(idea)),
  };
  const fence = raiseFence(Object.values(data).flat(), contentNonce);
  const wrapped = Object.entries(data).map(([name, lines]) => [name, fence.wrap(lines)]);
  const user = prompt({ form, count: String(count), ...Object.fromEntries(wrapped) });
  return { system: rules({ fence: fence.name }), user };
}
