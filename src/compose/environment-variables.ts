/** Variables that Assay reads, beside those of providers and agents. */
export const environmentVariables: Readonly<Record<string, string>> = {
  ASSAY_STORE: 'URL of the store; overrides `store` of the config, and `--store` overrides it',
  ASSAY_SERVE_TOKEN:
    'access token of `assay serve` and `assay mcp --port`, at least 24 characters; generated when it is not set',
  ASSAY_COLLECT_TOKEN:
    'token of programs that send traces to `assay collect` or `assay serve`, at least 24 characters; it gives no other access',
  ASSAY_CONTAINER_ENGINE: 'command of the container engine with its options; by default `podman` or else `docker`',
  ASSAY_KEYRING:
    '`off`: logins to MCP servers are neither read from the keyring of the operating system nor kept in it',
  ASSAY_UNPACK_DIR:
    'folder to which the standalone executable unpacks its files; by default `assay/executable` in the cache folder',
  LLM_TOOL_TEST_ENABLED:
    'scenarios of CLI tools are refused where it is set to anything but `1`; they run where it is not set',
  LLM_TOOL_TEST_TOOL: 'agent that drives a CLI tool where neither the scenario nor `--agent` names one',
  LLM_TOOL_TEST_JUDGE: 'judge model where neither `--judge-model` nor the scenario names one',
  LLM_TOOL_TEST_BUDGET_USD: 'spending limit in US dollars, the same as `--max-usd`',
  HTTP_PROXY: 'proxy for http URLs; `http_proxy` takes precedence',
  HTTPS_PROXY: 'proxy for https URLs; `https_proxy` takes precedence',
  ALL_PROXY: 'proxy for all other URLs; `all_proxy` takes precedence',
  NO_PROXY: 'hosts, domains and networks that are reached without a proxy, separated by commas',
  NODE_OPTIONS:
    'kept for the official conformance suite of `assay mcp check`, which gets one more option on Node.js 20',
  NO_COLOR: 'turns colours off, whatever its value',
  FORCE_COLOR: 'turns colours on also where the output is not a terminal; `0` turns them off',
  CI: 'makes progress plain lines, whatever its value',
  TERM: '`dumb` turns colours off and makes progress plain lines',
  VITEST_MCP_DEBUG: '`1` prints what tests with `assay/vitest` do',
  VISUAL: 'editor that `assay cases promote --edit` opens',
  EDITOR: 'the same, where `VISUAL` is not set',
  COLUMNS: 'width of the output of `assay diff` where it is not a terminal',
  HOME: 'hidden from agents where the isolation can hide',
  TMPDIR: 'folder in which trials with agents work, unless instructions for agents lie above it; by default `/tmp`',
  XDG_RUNTIME_DIR: 'the last folder that is tried for trials with agents, after `TMPDIR`, `/tmp` and `/var/tmp`',
  XDG_STATE_HOME: 'Folder in which trusted projects are remembered; by default `~/.local/state`.',
  XDG_CACHE_HOME:
    'cache folder for agents with a `version`, the files of projects on workers, and the files of the standalone executable; by default `~/.cache`',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'collector to which workers and coordinators send metrics; nothing is sent without it',
  OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'the same for metrics only, with the whole path',
  OTEL_EXPORTER_OTLP_HEADERS: 'headers of these requests, as `key=value,key=value`',
  OTEL_EXPORTER_OTLP_METRICS_HEADERS: 'the same for metrics only',
  OTEL_EXPORTER_OTLP_TIMEOUT: 'time limit of a request in milliseconds; 10,000 by default',
  OTEL_METRIC_EXPORT_INTERVAL: 'milliseconds between two messages; 60,000 by default',
  OTEL_METRICS_EXPORTER: '`none` turns metrics off',
  OTEL_RESOURCE_ATTRIBUTES: 'attributes that are sent with the metrics, as `key=value,key=value`',
  OTEL_SDK_DISABLED: '`true` turns metrics off',
  OTEL_SERVICE_NAME: 'name of the service in the metrics',
};

/** Variables that Assay sets for agents, gates, scripts and tools of a trial. */
export const trialVariables: Readonly<Record<string, string>> = {
  ASSAY_PROMPT: 'the prompt, for an agent that is started by a `command`',
  ASSAY_MODEL: 'the model of the variant, for an agent that is started by a `command`',
  ASSAY_BASE_URL: 'the `baseUrl` of the agent, for an agent that is started by a `command`',
  ASSAY_API_KEY: 'the `apiKey` of the agent, for an agent that is started by a `command`',
  ASSAY_MCP_CONFIG: 'JSON file with the MCP servers of the task, for an agent that is started by a `command`',
  ASSAY_RECORDER: 'caller of the tool under test, where the kernel does not say: `agent` or `tool`',
  ASSAY_TOOL_CONTROL: '`1` in a program under test that is mocked in part: its own calls of itself are left alone',
  ASSAY_RUN_ID: 'id of the run, for the commands of hooks',
  ASSAY_SCENARIO: 'name of the scenario, for the commands of hooks around scenarios and trials',
  ASSAY_CASE: 'id of the case, for the commands of hooks around trials',
  ASSAY_TRIAL_ID: 'id of the trial, for the commands of hooks around trials',
  ASSAY_OUTCOME: 'how the run, the scenario or the trial ended, for the commands of `after` hooks',
  ASSAY_TRIAL: 'marks every process of a trial, so all of them are ended with it',
  GIT_CEILING_DIRECTORIES: 'the folder of the trial: Git does not look for a repository above the work directory',
  LLM_TOOL_TEST_FIXTURE_DIR: 'the work directory',
  LLM_TOOL_TEST_RESULTS_DIR: 'a folder for files that scripts leave: they become artifacts of the trial',
  LLM_TOOL_TEST_SCENARIO: 'the name of the scenario',
  LLM_TOOL_TEST_AGENT: 'the agent of the variant',
  LLM_TOOL_TEST_MODEL: 'the model of the variant; `default` where none is named',
  LLM_TOOL_TEST_TRANSCRIPT: 'file with the output of the agent, once it has ended',
  LLM_TOOL_TEST_EVENTS: 'file with the events of the trial, once the agent has ended',
  ASSAY_SCENARIO_FOLDER: 'folder of the scenario, for gates and scripts after the agent',
};
