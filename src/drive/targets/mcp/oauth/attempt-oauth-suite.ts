import { AssayError } from '../../../../domain/errors.ts';
import type { OAuthObserved, OAuthTest } from '../../../../domain/mcp/oauth-suites.ts';
import { type SuiteInput, type SuiteTestOf, suiteTests } from '../../../../domain/mcp/suite-tests.ts';
import { type Fault, faultOf } from '../../../../domain/outcome.ts';
import type { EmitTrace } from '../../../../domain/trace.ts';
import { redactDeep } from '../../../../shared/redaction/redaction.ts';
import { expandVariables } from '../../../../shared/variables.ts';
import { OAuthHttp } from '../../../mcp/authorization/oauth-http.ts';
import { SecretList } from '../../../mcp/authorization/secret-list.ts';
import { serverLabel } from '../../../mcp/server-definition.ts';
import { WireError } from '../../../mcp/wire/wire.ts';
import type { TargetContext } from '../../target.ts';
import type { SuiteConfig } from '../mcp-suite-target.ts';
import { emitUntried, notSupported } from '../suite/run-suite-test.ts';
import { tryOAuthTest } from './oauth-attempts.ts';
import { OAuthSession } from './oauth-session.ts';

interface AttemptOptions {
  readonly config: SuiteConfig;
  readonly context: TargetContext;
  readonly emit: EmitTrace;
  readonly signal: AbortSignal;
}

/** Runs the tests of an OAuth suite one after the other; no session with the server is needed. */
export async function attemptOAuthSuite(
  input: Extract<SuiteInput, { kind: 'oauth2' }>,
  options: AttemptOptions,
): Promise<void> {
  const { config, context, emit } = options;
  const secrets = new SecretList();
  const timeoutMs = input.suite.timeout ?? config.timeoutMs;
  using http = new OAuthHttp({ env: context.env, timeoutMs, redact: secrets.redact });
  for (const test of suiteTests(input)) {
    if (test.form !== 'oauth') continue;
    if (test.unsupported !== undefined) emitUntried(test, notSupported(test), emit);
    else await doOAuthTest(test, { ...options, http, secrets });
  }
}

interface TestOptions extends AttemptOptions {
  readonly http: OAuthHttp;
  readonly secrets: SecretList;
}

async function doOAuthTest(test: SuiteTestOf<'oauth'>, options: TestOptions): Promise<void> {
  const { emit, secrets } = options;
  const { index, kind, name } = test;
  const began = performance.now();
  const { observed, fault } = await tried(test.spec.test, options);
  const latencyMs = performance.now() - began;
  const times = { attempts: 1, latencyMs, totalMs: latencyMs, timedOut: false, callId: null };
  emit({
    type: 'mcp-test',
    ...{ index, kind, name },
    ...times,
    ...(observed && { observed: redactDeep(observed, secrets.redact) }),
    fault,
  });
}

interface Tried {
  readonly observed?: OAuthObserved;
  readonly fault: Fault | null;
}

async function tried(written: OAuthTest, { config, context, http, secrets, signal }: TestOptions): Promise<Tried> {
  const definition = expandVariables(config.server, context.env);
  const test = expandVariables(written, context.env);
  try {
    const session = new OAuthSession(definition, test.spec.server, { http, secrets, signal });
    return { observed: await tryOAuthTest(test, session, signal), fault: null };
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    if (thrown instanceof AssayError) return { fault: redactDeep(faultOf(thrown), secrets.redact) };
    if (!(thrown instanceof WireError)) throw thrown;
    const { code, what } = thrown.end;
    return { fault: faultOf(new AssayError(code, `The MCP server "${serverLabel(definition)}" ${what}.`)) };
  }
}
