import { redactionOf } from '../shared/redaction.ts';

const secretName = /(key|token|secret|password|passwd|credential|auth)/i;

/** Takes the values of all variables that look like secrets out of a text. */
export function secretRedaction(env: Readonly<Record<string, string | undefined>>): (text: string) => string {
  return redactionOf(Object.entries(env).flatMap(([name, value]) => (value && secretName.test(name) ? [value] : [])));
}
