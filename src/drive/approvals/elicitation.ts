import type { Approver } from '../../domain/approval-event.ts';
import { isRecord } from '../../shared/json.ts';

type Data = Readonly<Record<string, unknown>>;

/** Capabilities of a client that answers forms and links. */
export const elicitationCapability = { elicitation: { form: {}, url: {} } } as const;

/** The call during which a server asks. */
interface AskedDuring {
  readonly tool: string;
  readonly callId: string;
  readonly server: string;
}

/** The answer of a client to `elicitation/create`; a link has no values. */
export function elicitationResult(action: 'accept' | 'decline' | 'cancel', content: unknown, params: unknown): Data {
  const takesValues = action === 'accept' && !(isRecord(params) && params.mode === 'url');
  return takesValues ? { action, content: isRecord(content) ? content : {} } : { action };
}

/** Has the policy answer in place of the user; fields that have a default need no value. */
export async function answerElicitation(params: unknown, during: AskedDuring, approver: Approver): Promise<Data> {
  if (!isRecord(params) || typeof params.message !== 'string') {
    approver.lost(`a request of the server "${during.server}" to its user could not be read`);
    return { action: 'cancel' };
  }
  const schema = isRecord(params.requestedSchema) ? params.requestedSchema : {};
  const fields = isRecord(schema.properties) ? schema.properties : {};
  const usual = Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      isRecord(field) && field.default !== undefined ? [[name, field.default]] : [],
    ),
  );
  const listed = Array.isArray(schema.required) ? schema.required.map(String) : [];
  const required = listed.filter((name) => !Object.hasOwn(usual, name));
  const { answer, content } = await approver.answer({ border: 'elicitation', ...during, request: params, required });
  const action = { allow: 'accept', deny: 'decline', none: 'cancel' } as const;
  return elicitationResult(action[answer], { ...usual, ...(isRecord(content) ? content : {}) }, params);
}
