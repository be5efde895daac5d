import { join } from 'node:path';
import type { Scenario } from '../../domain/scenario.ts';
import { isHttpServer, oauthVariables, type ServerDefinition, serversIn } from '../../drive/mcp/server-definition.ts';
import type { RecordSink } from '../../engine/record-sink.ts';
import { namesSecret, namesSecretHeader } from '../../shared/redaction/assigned-secrets.ts';
import { type RedactingStream, redactingStream } from '../../shared/redaction/redacting-stream.ts';
import {
  type Redact,
  redactDeep,
  redactionOf,
  redactionWithPatterns,
  rememberingClean,
} from '../../shared/redaction/redaction.ts';
import { expandVariables, unsetVariables } from '../../shared/variables.ts';
import { artifactsFolder, type Project } from './project.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** Redacts the values of all variables whose names look like secrets. */
export function secretRedaction(env: Env): Redact {
  return redactionOf(secretsIn(env));
}

/** The same with everything that looks like a secret, where there is no project. */
export function environmentRedaction(env: Env): Redact {
  return redactionWithPatterns(secretsIn(env));
}

/** Redacts the secrets of a project and everything that looks like a secret. */
export function projectRedaction(project: Project, env: Env, others: readonly string[] = []): Redact {
  return redactionWithPatterns([...projectSecrets(project, env), ...others]);
}

/** The same for text that arrives in pieces. */
export function secretFilter(project: Project, env: Env, others: readonly string[] = []): RedactingStream {
  return redactingStream({ secrets: [...projectSecrets(project, env), ...others], withPatterns: true });
}

/** The secret values of a project. */
export function projectSecrets({ config }: Project, env: Env): string[] {
  const keys = [...Object.values(config.models.providers), ...Object.values(config.agents)].map(({ apiKey }) => apiKey);
  const headers = Object.values(config.models.providers).flatMap((provider) => Object.values(provider.headers));
  const hooks = config.webhooks.flatMap(({ url, secret }) => (url.includes('${') ? [url, secret] : [secret]));
  const ofExport = Object.values(config.export.headers).filter((value) => unsetVariables(value, env).length === 0);
  const written = [
    ...keys,
    ...headers,
    ...ofExport,
    ...hooks.filter((value) => unsetVariables(value, env).length === 0),
  ].filter((value) => value !== undefined);
  return [...secretsIn(env), ...written.map((value) => expandVariables(value, env))];
}

function secretsIn(env: Env): string[] {
  return Object.entries(env).flatMap(([name, value]) => (value && namesSecret(name) ? [value] : []));
}

/**
 * The one redaction of a run, of prompts, tapes, hooks and records alike: no model may see what the store may not hold.
 * A text that is clean in a prompt is not searched again in its record.
 */
export class RunRedaction {
  readonly #project: Project;
  readonly #env: Env;
  #secrets: readonly string[] = [];
  #redact: Redact;

  constructor(project: Project, env: Env) {
    this.#project = project;
    this.#env = env;
    this.#redact = rememberingClean(projectRedaction(project, env));
  }

  /** Secrets of the run's scenarios; empty before they are read. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  /** To be called before anything of the scenarios is used. */
  learn(scenarios: readonly Scenario[]): void {
    this.#secrets = scenarioSecrets(scenarios, this.#env);
    if (this.#secrets.length === 0) return;
    this.#redact = rememberingClean(projectRedaction(this.#project, this.#env, this.#secrets));
  }

  readonly redact: Redact = (text) => this.#redact(text);
}

/** The secrets that scenarios bring along: in the settings of MCP servers, and keys for the judge. */
function scenarioSecrets(scenarios: readonly Scenario[], env: Env): string[] {
  const secrets = scenarios.flatMap(({ target, judge }) => [
    ...serversIn(target.config).flatMap(serverSecrets),
    ...Object.values(judge.apiKeys ?? {}),
  ]);
  return [...new Set(secrets)].map((secret) => expandVariables(secret, env));
}

/** Settings of a server whose names say that they are secret; of a header also the part behind its scheme. */
export function serverSecrets(server: ServerDefinition): string[] {
  if (server.transport === 'stdio') return secretValues(server.env, namesSecret);
  if (!isHttpServer(server)) return [];
  const headers = secretValues(server.headers, namesSecretHeader);
  const variables = oauthVariables(server).map((name) => `\${${name}}`);
  return [...headers.flatMap((value) => [value, value.replace(/^\w+\s+/, '')]), ...variables];
}

function secretValues(settings: Readonly<Record<string, string>>, isSecret: (name: string) => boolean): string[] {
  return Object.entries(settings).flatMap(([name, value]) => (isSecret(name) ? [value] : []));
}

/** Redacts the finished trials of a project and writes their artifacts. */
export function projectRecordSink(project: Project, redact: Redact): RecordSink {
  const root = artifactsFolder(project);
  return {
    redact: (finished) => redactDeep(finished, redact),
    redactText: redact,
    async leaveArtifacts(trial, { record, trace }) {
      if (record.artifacts === null) return;
      const { writeArtifacts } = await import('../../keep/artifacts/write-artifacts.ts');
      await writeArtifacts({ trial, trace, record, folder: join(root, record.artifacts), resultsFolder: root, redact });
    },
  };
}
