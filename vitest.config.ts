import { configDefaults, defineConfig } from 'vitest/config';
import { SlowestFirst } from './scripts/slowest-first.mjs';
import { isProgramStale } from './scripts/steps.mjs';

// Tests talk to loopback alone, and more certificates than its own take each of the thousands of Node processes that
// they start four times as long to start.
delete process.env.NODE_EXTRA_CA_CERTS;

/** Long suites whose subject is what the store keeps; `npm run test:postgres` has them too. */
const longStoreSuites: readonly string[] = [
  'test/compose/{export,improve-interrupted,reuse}.test.ts',
  'test/engine/{control,run-process}.test.ts',
  'test/entry/{collect-kills,edit-and-rerun,serve-heavy-work}.test.ts',
  'src/entry/server/summaries/large-runs.test.ts',
];

/** Those whose subject is something else, or the file of SQLite. */
export const otherLongSuites: readonly string[] = [
  'examples/spreadsheet/cli.test.ts',
  'src/drive/agents/{acp/acp,damaged-streams}.test.ts',
  'test/drive/browsers-that-end.test.ts',
  'src/drive/mcp/{bounded-memory,eras,wire/hostile-http,wire/hostile-stdio}.test.ts',
  'src/drive/recorder/{differential,exactness}.test.ts',
  'src/drive/targets/mcp/oauth/oauth-suite.test.ts',
  'src/drive/workspace/agent-leftovers.test.ts',
  'src/load/scenarios/formats/*/mutations.test.ts',
  'src/mcp-check/broken-servers.test.ts',
  'test/compose/{generate,hooks,improve,promote}.test.ts',
  'test/drive/{agent-outages,agent-replay,agent-versions,attacked-agents}.test.ts',
  'test/drive/{cli-tools-complete,cli-tools-cut-short,cli-tools-faults,terminal-agents}.test.ts',
  'test/drive/{mcp-agent-logins,mcp-agents,mcp-eras-proxy,mcp-login,mcp-performance,models-cloud,models-storm}.test.ts',
  'test/drive/{fake-model-requests,rate-limits,replayed-programs,targets-command,targets-command-leftovers}.test.ts',
  'test/drive/{targets-module-hostile,tool-faults}.test.ts',
  'test/entry/{collect-faults,collect-rules,command-faults,deploy,github-action,mcp-server}.test.ts',
  'test/entry/{secret-channels,vitest-integration}.test.ts',
  'test/keep/distributed{,-control,-faults,-files,-placement}.test.ts',
  'test/keep/store-{backup,copy,flipped-bytes,injected-faults,kills,postgres}.test.ts',
  'test/load/{bad-input-mutations,code-scenarios,spreadsheet-run}.test.ts',
  // Whole programs; test/laws shows the same in one process.
  'test/lying-world/*.test.ts',
  'test/report/{compare-judge,experiment,judged-ranking,report-memory,resilience,undelivered-guidance,variants}.test.ts',
  'test/score/{judge-batches,looking-judge}.test.ts',
  'test/shared/json-schema-official.test.ts',
  'test/structure/{docs-build,features,one-file-one-line,package}.test.ts',
];

/** Suites with a command of their own, `npm run test:long`. */
export const longSuites: readonly string[] = [...longStoreSuites, ...otherLongSuites];

/** Suites of pages with a command of their own, `npm run test:web`; it runs those that stay in `npm test` too. */
export const webSuites: readonly string[] = [
  'test/report/html-report.test.ts',
  'test/web/{access,case-lines,cases,code-snippets,controlled-tools,experiments,faults,hostile-texts,keyboard,many-tabs,pages,seven-tasks,tasks,usability,variants,workbench}.test.ts',
];

/**
 * Suites that repeat a mechanism with many inputs (src/testing/support/repetitions.ts): a few times here, and in full in
 * `npm run test:long`.
 */
export const repeatedSuites: readonly string[] = [
  'src/domain/attack-outcome/attack-finding.test.ts',
  'src/domain/attack-outcome/ways-out.test.ts',
  'src/drive/agents/claude-code/claude-code.test.ts',
  'src/drive/agents/codex/codex-stream.test.ts',
  'src/drive/agents/damaged-streams.test.ts',
  'src/drive/agents/gemini/gemini-stream.test.ts',
  'src/drive/agents/json-line-stream.test.ts',
  'src/drive/agents/qwen/qwen.test.ts',
  'src/drive/connectors/http/http-faults.test.ts',
  'src/drive/gateway/hostile.test.ts',
  'src/drive/mcp/schemas/official-clients.test.ts',
  'src/drive/models/prompting/read-reply.test.ts',
  'src/drive/recorder/exactness.test.ts',
  'src/drive/recorder/hostile.test.ts',
  'src/drive/workspace/prepare-workspace.test.ts',
  'src/drive/workspace/work-changes.test.ts',
  'src/engine/rescore.test.ts',
  'src/engine/store-trials.test.ts',
  'src/entry/server/files/check-text.test.ts',
  'src/entry/server/files/edit-part.test.ts',
  'src/entry/server/trials/trials.test.ts',
  'src/keep/bundles/pack-bundle.test.ts',
  'src/keep/bundles/safe-paths.test.ts',
  'src/load/imports/damaged-files.test.ts',
  'src/load/imports/formats/agent-streams.test.ts',
  'src/load/scenarios/formats/conversation/scenario-lines.test.ts',
  'src/load/scenarios/formats/promptfoo/nunjucks-text.test.ts',
  'src/mcp-check/arguments/call-arguments.test.ts',
  'src/report/compare/compare-sides.test.ts',
  'src/report/compare/figure-laws.test.ts',
  'src/report/compare/guidance.test.ts',
  'src/report/compare/packed-side.test.ts',
  'src/report/compare/trajectory/trajectory-diff.test.ts',
  'src/report/reporters/atif/atif.test.ts',
  'src/report/reporters/github/github.test.ts',
  'src/score/criteria/differential.test.ts',
  'src/score/criteria/hostile.test.ts',
  'src/score/evaluators/gates/command-gates.test.ts',
  'src/score/evaluators/gates/file-gates.test.ts',
  'src/score/evaluators/json-assertion.test.ts',
  'src/score/interaction/interaction.test.ts',
  'src/score/interaction/shell/shell-commands.test.ts',
  'src/score/judge/injection.test.ts',
  'src/score/judge/show-trace.test.ts',
  'src/shared/document-edit/edit-document.test.ts',
  'src/shared/exact-json.test.ts',
  'src/shared/json-path/json-path.test.ts',
  'src/shared/json-schema/json-schema.test.ts',
  'src/shared/redaction/encodings.test.ts',
  'src/shared/redaction/redacting-stream.test.ts',
  'src/shared/redaction/secret-patterns.test.ts',
  'src/shared/stats/lost-shares.test.ts',
  'test/compose/publish.test.ts',
  'test/drive/agent-replay.test.ts',
  'test/drive/agent-view.test.ts',
  'test/drive/blame.test.ts',
  'test/drive/clean-room.test.ts',
  'test/drive/fake-model-requests.test.ts',
  'test/drive/grader-room.test.ts',
  'test/drive/hostile-agent.test.ts',
  'test/drive/models-storm.test.ts',
  'test/drive/other-encodings.test.ts',
  'test/engine/continued-trials.test.ts',
  'test/engine/faults-engine.test.ts',
  'test/engine/money-after-kills.test.ts',
  'test/engine/resume.test.ts',
  'test/keep/store.test.ts',
  'test/laws/bad-input.test.ts',
  'test/laws/comparisons.test.ts',
  'test/laws/imported-figures.test.ts',
  'test/laws/imports.test.ts',
  'test/laws/less-information.test.ts',
  'test/laws/requests.test.ts',
  'test/laws/new-keys.test.ts',
  'test/laws/one-observation.test.ts',
  'test/laws/real-documents.test.ts',
  'test/structure/docs-samples.test.ts',
  'test/laws/simulated-replies.test.ts',
];

export default defineConfig({
  // Of the pages: `npm run build` makes those of the HTML report too.
  define: { isReport: 'false' },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'program',
          include: ['src/**/*.test.ts', 'web/src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
        },
      },
      {
        extends: true,
        // The globals of a browser must not leak into tests of the program.
        test: { name: 'pages', include: ['web/src/**/*.test.tsx'], environment: 'happy-dom', isolate: true },
      },
    ],
    exclude: [...configDefaults.exclude, ...longSuites, ...webSuites, 'test/with-*/**'],
    pool: 'forks',
    // No module has state of its own, and a new process for each of hundreds of files takes longer than the tests.
    isolate: false,
    // Most tests wait for programs and servers that they start.
    maxWorkers: 4,
    sequence: { sequencer: SlowestFirst },
    // Tests of the built program refuse one that is older than its sources.
    env: isProgramStale() ? { ASSAY_STALE_BUILD: '1' } : {},
    testTimeout: 60_000,
    // What is waited for may take its time on a busy machine.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 60_000,
  },
});
