/** An option with a value that one command has for itself: an example, what happens without it, and its edge case. */
export interface OptionExample {
  readonly example: string;
  /** Left out where the parser has a default. */
  readonly without?: string;
  /** Beside the values that the parser refuses, which are found by trying. */
  readonly edge?: string;
}

const option = (example: string, without?: string, edge?: string): OptionExample => ({
  example,
  ...(without !== undefined && { without }),
  ...(edge !== undefined && { edge }),
});

const several = 'separated by commas, or given several times';
const relative = 'relative to the current folder';

/** The same in every command that has the option. */
const inAnyCommand = {
  '--store': option(
    'sqlite:runs.db',
    '`ASSAY_STORE`, then `store` of the config',
    'a path without `sqlite:` is refused',
  ),
  '--by': option('guidance', 'two runs are compared'),
  '--a': option('terse', 'the first of two variants', 'requires `--by`; needed where there are more than two'),
  '--b': option('clear', 'the second of two variants', 'requires `--by`; needed where there are more than two'),
  '--allow-host': option('assay.example.com', 'only names of this machine', several),
  '--metric': option('tokens,pass-rate', 'the pass rate decides', several),
  '--smallest': option('pass-rate=0.02', 'the usual one of each figure', 'may be given once for each figure'),
  '--higher-is-better': option('coverage', 'the direction that each figure has', several),
  '--lower-is-better': option('retries', 'the direction that each figure has', several),
  '--question': option('tasks-like-these', '`these-tasks`'),
  '--connector': option('http://127.0.0.1:3000/chat', 'the connector of the trace, where it names one'),
  '--binary': option('bin/notes', 'the program that the trace names'),
  '--skip': option('delete_account', 'none is left out', 'a name that the server does not have is refused'),
} satisfies Readonly<Record<string, OptionExample>>;

const ofStarters = {
  'init --kind': option(
    'mcp-server',
    'you choose from a list; without a terminal, `tool`',
    'an unknown kind is refused with the known ones',
  ),
  'init --from': option('promptfoo', 'a starter project', 'an unknown program is refused with the known ones'),
  'init --server': option('"node server.mjs"', 'a small server as an example', 'with another kind it is refused'),
  'init --timeout-secs': option('60'),
};

const ofLists = {
  'list scenarios --export': option('conversations.jsonl', 'the scenarios are listed', '`-` prints them'),
  'list scenarios --import': option('conversations.jsonl', 'the scenarios are listed'),
  'list scenarios --output': option('scenarios/imported', 'required with `--import`', 'the folder is created'),
  'runs --limit': option('50'),
  'project --set': option('judge.model=openai/gpt-4o', 'nothing is set', 'values are YAML; may be given several times'),
  'project --unset': option('judge.model', 'nothing is removed', 'may be given several times'),
  'project --from': option('scenario.yaml', 'the keys of `--set` and `--unset`', '`-` reads standard input'),
  'project --file': option('scenarios/orders.yaml', 'a file named after the scenario'),
};

const ofReports = {
  'report --format': option('html,junit', '`html`', several),
  'report --output': option('reports', '`.assay/reports/<run>`', '`-` prints a single report'),
  'report --compare': option('latest~1', 'no comparison', 'not with `--by`'),
  'report --by': option('guidance', 'no comparison', 'not with `--compare`'),
  'compare --reference': option('terse', 'every pair is compared', 'requires `--by`'),
  'compare --judge-model': option('openai/gpt-4o', 'the judge model of the config', several),
  'compare --max-usd': option('0.50', 'no limit'),
  'compare --fail-on': option('worse', 'exit 0 whatever the answer is'),
  'compare --format': option('markdown,html', '`console`', several),
  'compare --output': option('reports', 'a single report is printed', 'the folder is created'),
  'diff --scenario': option('"Cancel an order"', 'all scenarios', 'an unknown scenario is refused'),
  'diff --case': option('case-2', 'all cases together', 'an unknown case is refused'),
  'diff --by': option('guidance', 'two runs or trials are compared'),
  'diff --format': option('markdown', '`console`'),
  'baseline --name': option('main'),
  'baseline --max-cost-rise': option('20%', 'cost is reported and fails nothing', 'a share above 100 % is allowed'),
};

const ofExperiments = {
  'experiment run --by': option(
    'guidance',
    'the only part in which the variants differ',
    'required where they differ in several',
  ),
  'experiment run --reference': option(
    'terse',
    'the first variant',
    'an unknown variant is refused with the known ones',
  ),
  'experiment run --max-trials': option('200', '10 of each case and variant'),
  'experiment run --fail-on': option('not-better', 'exit 0 whatever the answer is'),
  'experiment plan --difference': option('0.05', 'the smallest difference of the figure'),
  'experiment plan --metric': option('tokens'),
  'experiment improve --what': option('guidance', 'the only text that can be improved'),
  'experiment improve --from': option('terse', 'the only variant', 'required where there are several'),
  'experiment improve --proposer': option('anthropic/claude-sonnet-4-5', 'the judge model of the config'),
  'experiment improve --ideas': option('8', '5'),
  'experiment improve --max-steps': option('5', '3'),
  'experiment improve --max-trials': option('100', '10 of each case'),
  'experiment improve --holdout': option('0.2', '0.3'),
  'experiment improve --seed': option('7', '1'),
  'experiment improve --resume': option('latest', 'a new improvement begins'),
  'attack --suites': option('core,./attacks/mail.yaml', '`core`', several),
  'attack --attacks': option('direct-call', 'all attacks of the suites', several),
  'attack --places': option('tool-result,file-content', 'all places that the scenario has', several),
};

const ofTraces = {
  'import --config': option('promptfooconfig.yaml', 'no scenarios are written'),
  'import --format': option('promptfoo'),
  'import --columns': option(
    'case=task,outcome=passed',
    'the columns that the format knows',
    '`guessed` takes what seems to be meant',
  ),
  'import --pass-at': option('0.8', 'a score alone is not a verdict'),
  'import --name': option('nightly', 'the run has no name'),
  'collect --port': option('4318', '4318'),
  'collect --host': option('0.0.0.0', '`127.0.0.1`', 'other machines need `ASSAY_COLLECT_TOKEN`'),
  'score trace --scenario': option('scenarios/orders.yaml', 'it is required'),
  'score trace --name': option(
    '"Cancel an order"',
    'the only scenario of the file',
    'required where there are several',
  ),
  'score trace --case': option('case-2', 'the only case', 'required where there are several'),
  'score trace --format': option('otlp', 'the format is detected', 'an unknown format is refused with the known ones'),
  'score trace --repeat-judge': option('5', 'one judgement'),
  'score run --scenario': option('"Cancel an order"', 'all scenarios of the run'),
  'score run --repeat-judge': option('5', 'one judgement'),
  'score calibrate --run': option('latest~1', undefined, 'an unknown run is refused'),
  'score calibrate --rescored': option('latest', 'only the labels are compared', 'several ids, separated by spaces'),
};

const ofCases = {
  'cases generate --from': option('"node server.mjs"', 'it is required'),
  'cases generate --kind': option('openapi', 'the kind is detected'),
  'cases generate --output': option('scenarios/generated', '`generated` in the folder of the scenarios'),
  'cases generate --model': option('openai/gpt-4o', 'no model is called'),
  'cases generate --max-usd': option('0.50', 'no limit'),
  'cases generate --calls-per-tool': option('4'),
  'cases generate --call': option(
    'add_note',
    'tools that may change something are left out',
    'may be given several times',
  ),
  'cases generate --timeout-secs': option('60'),
  'cases promote --output': option('scenarios/regressions/refund.yaml', 'a file beside the scenario of the trial'),
  'cases promote --name': option('"Refund twice"', 'the name of the scenario and of the trial'),
  'cases promote --criterion': option('"The agent refunds twice."', 'the assertions of the scenario'),
  'cases promote --format': option('otlp', 'the format is detected', 'only with a file of traces'),
  'cases promote --trial': option('2', 'the only trial of the file'),
};

const ofServers = {
  'mcp check --header': option('"X-Team=evals"', 'no further headers', 'may be given several times'),
  'mcp check --env': option('"API_KEY=test"', 'no further variables', 'may be given several times'),
  'mcp check --transport': option('sse', 'streamable HTTP'),
  'mcp check --timeout-secs': option('60'),
  'mcp check --calls': option('0'),
  'mcp check --concurrency': option('1'),
  'mcp check --call': option(
    '"add_*"',
    'only tools that say that they change nothing',
    'a pattern that fits no tool is refused',
  ),
  'mcp check --seed': option('7'),
  'mcp check --baseline': option(
    'mcp-baseline.json',
    'nothing is compared',
    'a missing file is refused without `--write-baseline`',
  ),
  'mcp check --prove-ambiguous': option('openai/gpt-4o', 'no model is called'),
  'mcp check --requests-per-pair': option('10'),
  'mcp check --max-usd': option('0.50', 'no limit'),
  'mcp check --server-json': option('server.json', 'a manifest is not checked'),
  'mcp check --fix': option('wording.json', 'fixes are named, not written'),
  'mcp check --format': option('sarif', 'the extension of `--output`, otherwise `console`'),
  'mcp check --output': option('check.sarif', 'the report is printed', relative),
  'mcp check --fail-on': option('warning'),
  'mcp login --scope': option('read,write', 'the scopes that the server names', several),
  'mcp login --timeout-secs': option('60'),
  'mcp serve --port': option('7421', 'standard input and output'),
  'mcp serve --host': option('0.0.0.0', '`127.0.0.1`', 'requires `--port`; other machines need `ASSAY_SERVE_TOKEN`'),
  'serve --port': option('8080', '7420, or the next free one'),
  'serve --host': option('0.0.0.0', '`127.0.0.1`', 'other machines need `ASSAY_SERVE_TOKEN`'),
  'gateway --port': option('8081', 'a free one'),
  'gateway --upstream': option(
    'http://127.0.0.1:11434/v1',
    'the address of each provider',
    'with `--api`, for that one alone',
  ),
  'gateway --api': option(
    'openai-chat',
    'the path of each request decides',
    'an unknown API is refused with the known ones',
  ),
  'gateway --record': option('calls', 'nothing is written', 'the folder is created'),
  'fake-model --port': option('8080', 'a free one'),
  'token --role': option('runner', 'it is required with `create`', 'an unknown role is refused with the known ones'),
};

const ofQueues = {
  'queue worker --concurrency': option('8'),
  'queue worker --tags': option('gpu,linux', 'only trials without tags', several),
  'queue worker --agents': option('claude-code,codex', 'the installed agents', several),
  'queue worker --drain-secs': option('300'),
  'queue worker --lease-secs': option('60'),
  'queue worker --folder': option('/var/cache/assay', 'a cache folder'),
  'queue control --concurrency': option('2', 'it stays as it is'),
  'queue control --max-usd': option('5', 'it stays as it is'),
  'store clean --older-than': option('30d', 'age does not matter', 'a number without a unit is refused'),
  'store clean --keep': option('100', 'the number does not matter'),
  'store clean --max-size': option('2GB', 'the size does not matter', 'a number without a unit is refused'),
  'export --otlp': option(
    'https://otel.example.com',
    '`export.otlp`, then the variables of OpenTelemetry',
    'an address that is not http is refused',
  ),
  'export --to': option('phoenix', 'runs go to a receiver of OpenTelemetry', 'another service is refused'),
  'export --dataset': option('orders', 'the name of the folder', 'it is refused without `--to`'),
  'export --timeout-secs': option('300'),
};

/** By command and flag, or by the flag alone where it is the same in every command. */
export const optionExamples: Readonly<Record<string, OptionExample>> = {
  ...inAnyCommand,
  ...ofStarters,
  ...ofLists,
  ...ofReports,
  ...ofExperiments,
  ...ofTraces,
  ...ofCases,
  ...ofServers,
  ...ofQueues,
};
