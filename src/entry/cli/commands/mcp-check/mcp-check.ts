import { extname, resolve } from 'node:path';
import { projectRedaction, secretRedaction } from '../../../../compose/config/redaction.ts';
import { version } from '../../../../compose/program.ts';
import { AssayError, asAssayError } from '../../../../domain/errors.ts';
import { openSession } from '../../../../drive/mcp/open-session.ts';
import {
  isHttpServer,
  oauthVariables,
  type ServerDefinition,
  serverLabel,
} from '../../../../drive/mcp/server-definition.ts';
import { httpAddressOf } from '../../../../drive/mcp/wire/http-address.ts';
import { readPins, writePins } from '../../../../mcp-check/baseline.ts';
import type { CheckReport } from '../../../../mcp-check/check-report.ts';
import { type CheckRequest, checkServer, uncheckedReport } from '../../../../mcp-check/check-server.ts';
import type { CheckFormat } from '../../../../mcp-check/formats/check-format.ts';
import { consoleFormat } from '../../../../mcp-check/formats/console.ts';
import { checkFormats } from '../../../../mcp-check/formats/index.ts';
import { jsonFormat } from '../../../../mcp-check/formats/sarif.ts';
import { findSdk } from '../../../../mcp-check/sdk/find-sdk.ts';
import { fitted } from '../../../../shared/display-width.ts';
import { overwrite } from '../../../../shared/redacted-files.ts';
import { drawnOf, type Redact, redactionWithPatterns } from '../../../../shared/redaction/redaction.ts';
import { printable } from '../../../../shared/text.ts';
import { expandVariables } from '../../../../shared/variables.ts';
import type { CliCommand } from '../../command.ts';
import { type CliContext, hasColor, isWatched, write, writeText } from '../../context.ts';
import { Interrupt } from '../../process.ts';
import { control } from '../../terminal-border.ts';
import { addCheckOptions, type CommandOptions } from './options.ts';
import { type NamedServer, readServerArgument } from './server-argument.ts';
import { assertNew, writeFixes } from './write-fixes.ts';

const usualWidth = 100;

/** `assay mcp check`: what models will stumble over in an MCP server, found without a model. */
export const mcpCheck: CliCommand = {
  configure(command) {
    command.argument('[server...]', 'a URL, a config file, a JSON definition, or after `--` a command line');
    addCheckOptions(command);
    command.addHelpText(
      'after',
      '\nExamples:\n  assay mcp check -- node server.mjs --flag\n  assay mcp check https://example.com/mcp --header "Authorization=Bearer $TOKEN"\n  assay mcp check -o report.sarif --baseline pins.json -- npx my-server\n\nExit codes: 0 no problem of the chosen severity, 1 problems, 2 the request is wrong, 3 the server could not be checked.\n',
    );
  },
  async run({ args, options: given, context }) {
    const options = given as unknown as CommandOptions;
    const format = chosenFormat(options);
    if (options.writeBaseline && options.baseline === undefined)
      throw new AssayError('USAGE', '--write-baseline requires --baseline <file>.');
    if (options.maxUsd !== undefined && options.proveAmbiguous === undefined)
      throw new AssayError('USAGE', '--max-usd requires --prove-ambiguous <model>.');
    const server = await readServerArgument(args, options, context.cwd);
    if (options.fix !== undefined) assertNew(options.fix, context.cwd);
    using interrupt = new Interrupt(() => undefined);
    const request = await requestOf(server, options, context, interrupt.signal);
    try {
      const { report, pins, listed } = await checkServer(request);
      if (options.writeBaseline) writePins(resolve(context.cwd, options.baseline ?? ''), pins, request.redact);
      await printReport(report, format, options, context, request.redact);
      if (options.fix !== undefined) await writeFixes(options.fix, listed, context, request.redact);
      return exitCodeOf(report, options);
    } catch (error) {
      if (interrupt.signal.aborted) return 130;
      // The message holds what the server printed before it ended.
      const { code, message, hint } = asAssayError(error);
      const failure = new AssayError(code, request.redact(message), { hint, cause: error });
      await reportFailure(failure, server.definition, format, options, context, request.redact);
      throw failure;
    } finally {
      if (isWatched(context.stderr, context.env)) control(context.stderr, '\r\u001B[K');
    }
  },
};

async function requestOf(
  server: NamedServer,
  options: CommandOptions,
  context: CliContext,
  signal: AbortSignal,
): Promise<CheckRequest & { readonly redact: Redact }> {
  const { definition, directory, knownArguments } = server;
  const { cwd, env, stderr } = context;
  const timeoutMs = Math.ceil(options.timeoutSecs * 1_000);
  const { baseline } = options;
  const source = options.allowNpx ? 'npx' : 'installed';
  return {
    open: (how) => openSession(definition, { directory, env, timeoutMs, signal, clientVersion: version, ...how }),
    rootFolder: definition.transport === 'stdio' ? directory : undefined,
    http: definition.transport === 'shttp' ? { ...httpAddressOf(definition, env), timeoutMs, signal } : undefined,
    sdk: await findSdk(definition, directory),
    timeoutMs,
    signal,
    callsPerTool: options.calls,
    concurrency: options.concurrency,
    callsAll: options.callAll === true,
    call: options.call ?? [],
    skip: options.skip ?? [],
    seed: options.seed,
    knownArguments,
    redact: redactionFor(definition, env),
    provePairs:
      options.proveAmbiguous === undefined
        ? undefined
        : await pairProof(options.proveAmbiguous, options, server, context, signal),
    checkManifest: await manifestCheck(options.serverJson, definition, cwd),
    baseline: baseline === undefined ? undefined : { file: baseline, pins: await pinsBefore(baseline, options, cwd) },
    conformance: options.conformance
      ? async (listed) => {
          const { runConformance } = await import('../../../../mcp-check/conformance/run-conformance.ts');
          const places = { directory: cwd, serverDirectory: directory };
          return runConformance({ definition, source, ...places, env, timeoutMs, signal }, listed);
        }
      : undefined,
    onTool: (tool, number, total) => {
      const line = fitted(`  checking ${printable(tool)} (${number} of ${total})`, stderr.columns || usualWidth);
      if (isWatched(stderr, env)) control(stderr, '\r\u001B[K', line);
    },
  };
}

/** The model is looked up before anything is checked: a wrong name must not cost a check first. */
async function pairProof(
  name: string,
  { requestsPerPair, maxUsd, seed }: CommandOptions,
  { knownArguments }: NamedServer,
  { cwd, env }: CliContext,
  signal: AbortSignal,
): Promise<CheckRequest['provePairs']> {
  const { openProject } = await import('../../../../compose/config/project.ts');
  const { openModels } = await import('../../../../drive/models/open-models.ts');
  const { provePairs } = await import('../../../../mcp-check/ambiguity/prove-pairs.ts');
  const project = await openProject(cwd, env);
  const redact = projectRedaction(project, env);
  const models = openModels({ config: project.config.models, env, maxUsd, redact });
  const model = await models.find(name);
  return async (listed) => {
    await using _open = models;
    return provePairs(listed, { model, requests: requestsPerPair, seed, knownArguments, signal });
  };
}

async function manifestCheck(
  file: string | undefined,
  definition: ServerDefinition,
  cwd: string,
): Promise<CheckRequest['checkManifest']> {
  if (file === undefined) return undefined;
  const { readManifest } = await import('../../../../mcp-check/manifest/manifest.ts');
  const { checkManifest } = await import('../../../../mcp-check/manifest/check-manifest.ts');
  const manifest = await readManifest(resolve(cwd, file), file);
  return (listed) => checkManifest(manifest, listed, definition);
}

function pinsBefore(
  file: string,
  { writeBaseline }: CommandOptions,
  cwd: string,
): Promise<Awaited<ReturnType<typeof readPins>>> | 'to be written' {
  return writeBaseline ? 'to be written' : readPins(resolve(cwd, file), file);
}

/** Takes out what the server is given to identify itself with, and what looks like a secret. */
function redactionFor(definition: ServerDefinition, env: CliContext['env']): Redact {
  const headers = isHttpServer(definition) ? expandVariables(definition.headers, env) : {};
  const given = definition.transport === 'stdio' ? expandVariables(definition.env, env) : {};
  // A header such as `Bearer abc` has its secret after a word.
  const words = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
  const credentials = oauthVariables(definition).map((name) => env[name] ?? '');
  const redactHeaders = redactionWithPatterns([...words, ...credentials].filter((word) => word.length >= 8));
  const redactNamed = secretRedaction({ ...env, ...given });
  return (text) => redactHeaders(redactNamed(text));
}

function chosenFormat({ format, json, output }: CommandOptions): CheckFormat {
  if (json) return jsonFormat;
  const ending = output === undefined ? '' : extname(output).toLowerCase();
  const wanted = checkFormats.find(({ name, endings }) => (format ? name === format : endings.includes(ending)));
  return wanted ?? consoleFormat;
}

/** A requested report is written even if all it can say is why the server was not checked. */
async function reportFailure(
  failure: AssayError,
  definition: ServerDefinition,
  format: CheckFormat,
  options: CommandOptions,
  context: CliContext,
  redact: Redact,
): Promise<void> {
  const report = uncheckedReport(failure, { label: serverLabel(definition), transport: definition.transport });
  const { output, json } = options;
  if (output !== undefined) writeReport(resolve(context.cwd, output), report, format, redact);
  if (json) await write(context.stdout, jsonFormat.render(report, { color: false, width: usualWidth }));
}

async function printReport(
  report: CheckReport,
  format: CheckFormat,
  { output, json }: CommandOptions,
  { cwd, env, stdout }: CliContext,
  redact: Redact,
): Promise<void> {
  const style = { color: hasColor(stdout, env), width: stdout.columns || usualWidth };
  const printed = output === undefined ? format : json ? jsonFormat : consoleFormat;
  if (output !== undefined) writeReport(resolve(cwd, output), report, format, redact);
  await (printed === consoleFormat ? writeText : write)(stdout, printed.render(report, style));
}

function writeReport(path: string, report: CheckReport, format: CheckFormat, redact: Redact): void {
  const draw = (clean: CheckReport): string => format.render(clean, { color: false, width: usualWidth });
  overwrite(path, drawnOf(report, redact, draw));
}

function exitCodeOf({ totals, incomplete }: CheckReport, { failOn, strict }: CommandOptions): number {
  const failing = { error: totals.error, warning: totals.error + totals.warning, never: 0 }[failOn];
  if (failing > 0) return 1;
  if (strict && totals.notice > 0) return 3;
  return incomplete === null ? 0 : 3;
}
