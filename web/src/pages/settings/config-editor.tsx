import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import type { Settings } from '../../../../src/entry/server/api/project.ts';
import { FileWorkbench } from '../../file-editor/file-workbench.tsx';
import { useEditedFile, useFileCheck } from '../../file-editor/use-edited-file.ts';
import type { GroupField } from '../../forms/form-field.ts';
import { readForm } from '../../forms/read-form.ts';
import { SchemaForm } from '../../forms/schema-form.tsx';
import { Card } from '../../kit/page.tsx';

const newFile = 'assay.config.yaml';
const firstText = `# Defaults for this project.
scenarios: [scenarios]
`;

/** The config file as form and text. */
export function ConfigEditor({ settings }: { settings: Settings }) {
  const navigate = useNavigate();
  const { configFile } = settings.project;
  const path = configFile ?? newFile;
  const file = useEditedFile(path, 'config', configFile === null ? firstText : undefined);
  const check = useFileCheck(file);
  const form = useMemo((): GroupField | undefined => {
    const field = readForm(settings.configSchema);
    return field.kind === 'group' ? field : undefined;
  }, [settings.configSchema]);
  const keyOrder = useMemo(() => form?.entries.map(({ key }) => key) ?? [], [form]);
  return (
    <FileWorkbench
      title={path}
      breadcrumbs={[{ label: 'Settings', to: '/settings' }, { label: path }]}
      file={file}
      check={check}
      keyOrder={keyOrder}
      onSaved={() => {
        if (configFile === null) void navigate({ to: '/settings', search: { tab: 'config' }, replace: true });
      }}
    >
      {({ value, problems, onChange }) =>
        form && (
          <Card title="Defaults for this project">
            <SchemaForm field={form} value={value ?? {}} problems={problems} onChange={onChange} />
          </Card>
        )
      }
    </FileWorkbench>
  );
}
