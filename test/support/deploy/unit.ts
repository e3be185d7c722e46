/** A unit of systemd: every assignment, in order. A name may be assigned more than once. */
export interface Unit {
  all(section: string, name: string): string[];
  one(section: string, name: string): string | undefined;
  /** The lines of a section as `name=value`. */
  lines(section: string): string[];
}

export function parseUnit(text: string): Unit {
  const sections = new Map<string, [string, string][]>();
  let current: [string, string][] = [];
  for (const line of text.split('\n').filter((each) => each !== '' && !each.startsWith('#'))) {
    const section = /^\[(\w+)\]$/.exec(line)?.[1];
    const [, name = '', value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (section !== undefined) sections.set(section, (current = []));
    else if (name === '') throw new Error(`This is no line of a unit: ${line}`);
    else current.push([name, value]);
  }
  const assignments = (section: string) => sections.get(section) ?? [];
  const all: Unit['all'] = (section, name) =>
    assignments(section)
      .filter(([each]) => each === name)
      .map(([, value]) => value);
  return {
    all,
    one: (section, name) => all(section, name).at(-1),
    lines: (section) => assignments(section).map((assignment) => assignment.join('=')),
  };
}
