import type { Scenario } from '../domain/scenario.ts';
import type { ServerDefinition } from '../drive/mcp/server-definition.ts';
import { isRecord } from '../shared/json.ts';
import { namesSecret, namesSecretHeader } from '../shared/redaction/assigned-secrets.ts';
import { type Redact, redactionOf } from '../shared/redaction/redaction.ts';
import { redactPatterns } from '../shared/redaction/secret-patterns.ts';
import { expandVariables } from '../shared/variables.ts';
import { secretRedaction } from './secrets.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** What must not be shown to models: known from the environment at once, and from scenarios when they are read. */
export class RunRedaction {
  readonly #env: Env;
  readonly #ofEnvironment: Redact;
  #ofScenarios: Redact = (text) => text;
  #secrets: readonly string[] = [];

  constructor(env: Env) {
    this.#env = env;
    this.#ofEnvironment = secretRedaction(env);
  }

  /** What the scenarios of the run brought along; empty before they are read. */
  get secrets(): readonly string[] {
    return this.#secrets;
  }

  /** To be called before anything of the scenarios is used. */
  learn(scenarios: readonly Scenario[]): void {
    this.#secrets = scenarioSecrets(scenarios, this.#env);
    if (this.#secrets.length > 0) this.#ofScenarios = redactionOf(this.#secrets);
  }

  /** Also what has the shape of a secret: the store takes it out, so no model may see it either. */
  readonly redact: Redact = (text) => redactPatterns(this.#ofScenarios(this.#ofEnvironment(text)));
}

/** The secrets that scenarios bring along: in the settings of MCP servers, and keys for the judge. */
function scenarioSecrets(scenarios: readonly Scenario[], env: Env): string[] {
  const secrets = scenarios.flatMap(({ target, judge }) => [
    ...serversIn(target.config).flatMap(serverSecrets),
    ...Object.values(judge.apiKeys ?? {}),
  ]);
  return [...new Set(secrets)].map((secret) => expandVariables(secret, env));
}

/** The MCP server that a target talks to; its config has been checked when the scenario was loaded. */
function serversIn(config: unknown): ServerDefinition[] {
  const server = isRecord(config) ? config.server : undefined;
  return isRecord(server) && 'transport' in server ? [server as unknown as ServerDefinition] : [];
}

/** Settings of a server whose names say that they are secret; of a header also the part behind its scheme. */
export function serverSecrets(server: ServerDefinition): string[] {
  if (server.transport === 'stdio') return secretValues(server.env, namesSecret);
  return secretValues(server.headers, namesSecretHeader).flatMap((value) => [value, value.replace(/^\w+\s+/, '')]);
}

function secretValues(settings: Readonly<Record<string, string>>, isSecret: (name: string) => boolean): string[] {
  return Object.entries(settings).flatMap(([name, value]) => (isSecret(name) ? [value] : []));
}
