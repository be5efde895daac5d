const prompts = 'assay mcp offers no prompts';
const resources = 'assay mcp offers no resources';
const exampleTool = 'it calls a tool of the example server of the suite';
const input = 'it calls a tool of the example server that asks for input, and no tool of assay mcp asks';

/** Scenarios of the official suite that `assay mcp` cannot pass, because it lacks what they try. */
export const excusedScenarios: ReadonlyMap<string, string> = new Map([
  ['completion-complete', 'assay mcp offers no completions'],
  ['logging-set-level', 'assay mcp sends no log messages'],
  ['tools-call-with-logging', 'assay mcp sends no log messages'],
  ['prompts-list', prompts],
  ['prompts-get-embedded-resource', prompts],
  ['prompts-get-simple', prompts],
  ['prompts-get-with-args', prompts],
  ['prompts-get-with-image', prompts],
  ['resources-list', resources],
  ['resources-read-binary', resources],
  ['resources-read-text', resources],
  ['resources-subscribe', resources],
  ['resources-templates-read', resources],
  ['resources-unsubscribe', resources],
  ['tools-call-audio', exampleTool],
  ['tools-call-elicitation', exampleTool],
  ['tools-call-embedded-resource', exampleTool],
  ['tools-call-error', exampleTool],
  ['tools-call-image', exampleTool],
  ['tools-call-mixed-content', exampleTool],
  ['tools-call-sampling', exampleTool],
  ['tools-call-simple-text', exampleTool],
  ['tools-call-with-progress', exampleTool],
  ['elicitation-sep1034-defaults', exampleTool],
  ['elicitation-sep1330-enums', exampleTool],
  ['json-schema-2020-12', exampleTool],
  ['http-custom-header-server-validation', 'no tool of assay mcp has arguments that are sent as headers'],
  ['input-required-result-basic-elicitation', input],
  ['input-required-result-basic-list-roots', input],
  ['input-required-result-basic-sampling', input],
  ['input-required-result-capability-check', input],
  ['input-required-result-multi-round', input],
  ['input-required-result-multiple-input-requests', input],
  ['input-required-result-non-tool-request', prompts],
  ['input-required-result-request-state', input],
  ['input-required-result-result-type', input],
  ['input-required-result-tampered-state', input],
]);

/** The same for single checks of scenarios whose other checks count. */
export const excusedChecks: ReadonlyMap<string, string> = new Map([
  ['caching sep-2549-prompts-list-caching-hints', prompts],
  ['caching sep-2549-resources-list-caching-hints', resources],
  ['caching sep-2549-resources-templates-list-caching-hints', resources],
  ['server-stateless sep-2575-server-rejects-undeclared-capability', exampleTool],
  ['server-stateless sep-2575-missing-capability-http-400', exampleTool],
  ['server-stateless sep-2575-http-server-no-independent-requests-on-stream', exampleTool],
  ['server-stateless sep-2575-server-no-log-without-loglevel', exampleTool],
]);
