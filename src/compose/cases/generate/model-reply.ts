import type * as z from 'zod';
import { AssayError } from '../../../domain/errors.ts';
import { openModels } from '../../../drive/models/open-models.ts';
import { readReply, replyJsonSchema } from '../../../drive/models/prompting/read-reply.ts';
import { shorten } from '../../../shared/text.ts';
import type { Project } from '../../config/project.ts';
import { projectRedaction } from '../../config/redaction.ts';

export interface ModelOptions {
  /** `provider/model`. */
  readonly model: string;
  readonly maxUsd: number | undefined;
  readonly project: Project;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
}

/** One reply of a model in a given form. A reply in another form is an error: no case is made of what was not understood. */
export async function modelReply<Value>(
  schema: z.ZodType<Value>,
  content: string,
  { project, env, signal, maxUsd, model: name }: ModelOptions,
): Promise<{ readonly value: Value; readonly costUsd: number | null }> {
  await using models = openModels({
    config: project.config.models,
    env,
    maxUsd,
    redact: projectRedaction(project, env),
  });
  const model = await models.find(name);
  const request = {
    messages: [{ role: 'user' as const, content }],
    output: { name: 'generated_cases', schema: replyJsonSchema(schema) },
    maxOutputTokens: 8_000,
  };
  const reply = await model.generate(request, signal);
  const reading = readReply(reply.text, schema);
  if (reading.isReadable) return { value: reading.value, costUsd: reply.costUsd };
  throw new AssayError('MODEL_BAD_REPLY', `${name} returned no usable cases: ${shorten(reading.problem, 200)}`);
}
