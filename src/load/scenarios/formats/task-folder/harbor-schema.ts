import * as z from 'zod';

const seconds = () => z.number().positive().max(86_400);
const pause = () => z.number().min(0).max(86_400);
const variables = () => z.record(z.string(), z.string()).default({});
const text = () => z.string();
const user = () => z.union([z.string(), z.number()]).optional();

/** Megabytes of an earlier spelling, such as "4G". */
const size = () =>
  text()
    .regex(/^\d+(?:\.\d+)?\s*[MG](?:i?B)?$/i, { message: 'must be a size such as "2G" or "512M"' })
    .transform((written) => Math.ceil(Number.parseFloat(written) * (/g/i.test(written) ? 1_024 : 1)));

/** Network of a phase of the task. */
const reach = () => ({
  network_mode: z.enum(['public', 'no-network', 'allowlist']).optional(),
  allowed_hosts: z.array(z.string()).default([]),
});

const healthcheck = () =>
  z.looseObject({
    command: text().min(1),
    interval_sec: seconds().default(5),
    timeout_sec: seconds().default(30),
    start_period_sec: pause().default(0),
    retries: z.int().min(1).default(3),
  });
export type Healthcheck = z.output<ReturnType<typeof healthcheck>>;

const mcpServer = () =>
  z
    .strictObject({
      name: text().min(1),
      transport: z.enum(['stdio', 'sse', 'streamable-http', 'http']).default('sse'),
      url: text().min(1).optional(),
      command: text().min(1).optional(),
      args: z.array(text()).default([]),
    })
    .superRefine((server, context) => {
      const key = server.transport === 'stdio' ? 'command' : 'url';
      if (server[key] === undefined)
        context.addIssue({ code: 'custom', path: [key], message: `is missing, which \`${server.transport}\` needs` });
    });

const environment = () =>
  z.strictObject({
    docker_image: text().min(1).optional(),
    build_timeout_sec: seconds().optional(),
    cpus: z.number().positive().optional(),
    memory_mb: z.int().positive().optional(),
    memory: size().optional(),
    storage_mb: z.int().positive().optional(),
    storage: size().optional(),
    workdir: text().startsWith('/').optional(),
    os: text()
      .toLowerCase()
      .pipe(z.enum(['linux', 'windows']))
      .optional(),
    skills_dir: text().optional(),
    mcp_servers: z.array(mcpServer()).default([]),
    gpus: z.int().min(0).default(0),
    gpu_types: z.array(text()).optional(),
    tpu: z.unknown().optional(),
    allow_internet: z.boolean().default(true),
    env: variables(),
    healthcheck: healthcheck().optional(),
    ...reach(),
  });
export type HarborEnvironment = z.output<ReturnType<typeof environment>>;

const artifact = () =>
  z
    .union([
      text(),
      z.strictObject({
        source: text(),
        destination: text().optional(),
        service: text().optional(),
        exclude: z.array(text()).default([]),
      }),
    ])
    .transform((written) =>
      typeof written === 'string' ? { source: written, exclude: [], service: undefined } : written,
    )
    .refine(({ source }) => source.startsWith('/') && !source.split('/').includes('..'), {
      message: 'must be an absolute path without `..`',
    });

const agent = () => z.strictObject({ timeout_sec: seconds().optional(), user: user(), ...reach() }).prefault({});

const verifier = () =>
  z
    .strictObject({
      timeout_sec: seconds().optional(),
      env: variables(),
      user: user(),
      environment_mode: z.enum(['shared', 'separate']).optional(),
      environment: environment().optional(),
      collect: z
        .array(
          z.strictObject({
            command: text().min(1),
            service: text().optional(),
            timeout_sec: seconds().default(60),
            user: user(),
          }),
        )
        .default([]),
      ...reach(),
    })
    .prefault({});
export type HarborVerifier = z.output<ReturnType<typeof verifier>>;

const step = () =>
  z.strictObject({
    name: text().regex(/^[A-Za-z0-9][\w.-]*$/, { message: 'must be the name of a folder in `steps`' }),
    agent: agent(),
    verifier: verifier(),
    min_reward: z.union([z.number(), z.record(text(), z.number())]).optional(),
    healthcheck: healthcheck().optional(),
    artifacts: z.array(artifact()).default([]),
  });
export type HarborStep = z.output<ReturnType<typeof step>>;

/** `task.toml`, from its first version to 1.4. */
export const harborSchema = () =>
  z.strictObject({
    version: z.union([text(), z.number()]).optional(),
    schema_version: z.union([text(), z.number()]).optional(),
    source: text().optional(),
    task: z
      .strictObject({
        name: text().min(1).optional(),
        version: z.union([text(), z.number()]).optional(),
        description: text().default(''),
        authors: z.array(z.unknown()).optional(),
        keywords: z.array(text()).default([]),
      })
      .prefault({}),
    multi_step_reward_strategy: z.enum(['mean', 'final']).default('mean'),
    steps: z.array(step()).default([]),
    artifacts: z.array(artifact()).default([]),
    metadata: z.record(z.string(), z.unknown()).default({}),
    agent: agent(),
    verifier: verifier(),
    solution: z.strictObject({ env: variables() }).prefault({}),
    environment: environment().prefault({}),
  });
export type HarborFile = z.output<ReturnType<typeof harborSchema>>;
