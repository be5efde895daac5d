import { useState } from 'react';
import { basePath } from '../../../data/base-path.ts';
import { CopyButton } from '../../../kit/code.tsx';
import { Select } from '../../../kit/field.tsx';
import { Card } from '../../../kit/page.tsx';
import { ScrollBox } from '../../../kit/scroll-box.tsx';
import { snippetsOf } from './snippets.ts';

const wholeFile = '';

/** How the file is run without the pages. */
export function CodeTab({ file, scenarios }: { file: string; scenarios: readonly string[] }) {
  const [chosen, setChosen] = useState(wholeFile);
  const scenario = scenarios.length > 1 && scenarios.includes(chosen) ? chosen : undefined;
  const options = [
    { value: wholeFile, label: 'The whole file' },
    ...scenarios.map((name) => ({ value: name, label: name })),
  ];
  return (
    <div className="flex flex-col gap-4">
      {scenarios.length > 1 && (
        <div>
          <Select label="Scenario" options={options} value={chosen} onChange={setChosen} />
        </div>
      )}
      {snippetsOf({ file, scenario, origin: `${window.location.origin}${basePath}` }).map(({ title, about, text }) => (
        <Card key={title} title={title} actions={<CopyButton text={text} label={`Copy: ${title}`} />}>
          <p className="mb-2 text-muted">{about}</p>
          <ScrollBox label={title} maxHeight={400}>
            <pre className="p-3 font-mono text-xs">{text}</pre>
          </ScrollBox>
        </Card>
      ))}
    </div>
  );
}
