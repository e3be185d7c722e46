import { expect, it } from 'bun:test';
import { renderConsole } from '../src/html.ts';

it('marks the console of a service that offers the experimental operations', () => {
  const addresses = { 'console.js': 'a.js', 'console.css': 'a.css', 'icon.svg': 'a.svg' };
  expect(renderConsole(addresses, { experimental: false })).toContain('<html lang="en">');
  expect(renderConsole(addresses, { experimental: true })).toContain('<html lang="en" data-experimental>');
});
