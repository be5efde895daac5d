import { namesSecret } from '../shared/redaction/assigned-secrets.ts';
import { type RedactingStream, redactingStream } from '../shared/redaction/redacting-stream.ts';
import { type Redact, redactionOf, redactionWithPatterns } from '../shared/redaction/redaction.ts';
import { expandVariables } from '../shared/variables.ts';
import type { Project } from './config.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Takes the values of all variables that look like secrets out of a text. */
export function secretRedaction(env: Env): Redact {
  return redactionOf(secretsIn(env));
}

/** Takes out what is known to be secret in a project, and what has the shape of a secret. */
export function projectRedaction(project: Project, env: Env, others: readonly string[] = []): Redact {
  return redactionWithPatterns([...projectSecrets(project, env), ...others]);
}

/** The same for a text that comes in pieces. */
export function secretFilter(project: Project, env: Env, others: readonly string[] = []): RedactingStream {
  return redactingStream({ secrets: [...projectSecrets(project, env), ...others], withPatterns: true });
}

/** The values that are known to be secret in a project. */
export function projectSecrets({ config }: Project, env: Env): string[] {
  const keys = [...Object.values(config.models.providers), ...Object.values(config.agents)].map(({ apiKey }) => apiKey);
  const headers = Object.values(config.models.providers).flatMap((provider) => Object.values(provider.headers));
  const written = [...keys, ...headers].filter((value) => value !== undefined);
  return [...secretsIn(env), ...written.map((value) => expandVariables(value, env))];
}

function secretsIn(env: Env): string[] {
  return Object.entries(env).flatMap(([name, value]) => (value && namesSecret(name) ? [value] : []));
}
