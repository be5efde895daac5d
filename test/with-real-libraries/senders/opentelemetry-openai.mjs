import { createRequire } from 'node:module';
import { metrics } from '@opentelemetry/api';
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-proto';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { OpenAIInstrumentation } from '@opentelemetry/instrumentation-openai';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs';
import { askOpenAi } from './chat-completions.mjs';
import { inSpan, provider } from './telemetry.mjs';
import { putQuestions } from './weather.mjs';

const logs = new LoggerProvider({
  resource: resourceFromAttributes({ 'service.name': process.env.OTEL_SERVICE_NAME }),
  processors: [new BatchLogRecordProcessor({ exporter: new OTLPLogExporter() })],
});
const instrumentation = new OpenAIInstrumentation({ captureMessageContent: true });
registerInstrumentations({
  instrumentations: [instrumentation],
  tracerProvider: provider,
  loggerProvider: logs,
  meterProvider: metrics.getMeterProvider(),
});

// Instrumentation of OpenTelemetry hooks `require`.
const { OpenAI } = createRequire(import.meta.url)('openai');
const client = new OpenAI({ apiKey: 'any', maxRetries: 0 });

await putQuestions((question) => inSpan('conversation', () => askOpenAi(client, question)));
await provider.shutdown();
await logs.shutdown();
