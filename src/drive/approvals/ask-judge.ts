import * as z from 'zod';
import type { ApprovalRequest } from '../../domain/approval-event.ts';
import type { ApprovalRule } from '../../domain/approval-policy.ts';
import { UnansweredRequests, unansweredEvents } from '../../domain/costs.ts';
import { AssayError } from '../../domain/errors.ts';
import { spentOnPersona } from '../models/persona-usage.ts';
import { encodeData, redactData } from '../models/prompting/encode-data.ts';
import { contentNonce, raiseFence } from '../models/prompting/fence.ts';
import { readReply, replyJsonSchema } from '../models/prompting/read-reply.ts';
import { templateOf } from '../models/prompting/template.ts';
import type { ApprovalPlace } from './approver.ts';
import promptText from './prompts/approval.v1.md?raw';

const prompt = templateOf(promptText);

const replySchema = z.object({ reason: z.string().max(2_000), answer: z.enum(['allow', 'deny']) });
const output = { name: 'approval', schema: replyJsonSchema(replySchema) };

interface Judged {
  readonly answer: 'allow' | 'deny';
  readonly reason: string;
  readonly model: string;
}

/** Lets a model decide by the criterion of a rule; rejects where it gives no usable reply. */
export async function askJudge(rule: ApprovalRule, request: ApprovalRequest, place: ApprovalPlace): Promise<Judged> {
  const { emit, repeat, context } = place;
  const { models, personaModel, redact = (text: string) => text } = context;
  const name = rule.model ?? personaModel;
  if (name === undefined || !models)
    throw new AssayError('MODEL_NOT_NAMED', 'The judge of approvals has no model: set `model` of the rule.');
  const model = await (await models()).find(name);
  const { tool, server, request: input } = request;
  const line = encodeData(redactData({ tool, server, input }, redact));
  const { name: fence } = raiseFence([line], contentNonce);
  const text = prompt({ fence, criterion: encodeData(redact(rule.criterion ?? '')), request: line });
  const messages = [{ role: 'user' as const, content: text }];
  const unanswered = new UnansweredRequests();
  const signal = AbortSignal.any([place.signal, AbortSignal.timeout(rule.timeoutSecs * 1_000)]);
  const sent = { messages, output, temperature: 0, maxOutputTokens: 500, seed: repeat };
  const reply = await model.generate(sent, signal, unanswered).finally(() => {
    for (const event of unansweredEvents(model.name, unanswered.count, 'persona')) emit({ ...event, seenBy: 'engine' });
  });
  emit({ ...spentOnPersona(model, reply), seenBy: 'engine' });
  const reading = readReply(reply.text, replySchema);
  if (!reading.isReadable)
    throw new AssayError('MODEL_BAD_REPLY', `${model.name} gave no usable reply: ${reading.problem}`);
  return { ...reading.value, model: model.name };
}
