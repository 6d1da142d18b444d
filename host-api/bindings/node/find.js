// Where the plugin is.
'use strict';
const { execFileSync } = require('node:child_process');
const fs = require('node:fs');
const path = require('node:path');

const NAME = 'shell_tools.so';

function isFile(file) {
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

function besideProgram() {
  for (const folder of (process.env.PATH ?? '').split(':')) {
    const program = folder && path.join(folder, 'wtool');
    if (program && isFile(program)) return path.join(path.dirname(fs.realpathSync(program)), '../lib/wtool');
  }
  return undefined;
}

function fromPkgConfig() {
  try {
    const folder = execFileSync('pkg-config', ['--variable=plugindir', 'wtool'], { stdio: ['ignore', 'pipe', 'ignore'], timeout: 10_000 });
    return folder.toString().trim().replace(/\\(.)/g, '$1') || undefined; // pkg-config quotes a path for a shell: `a\ folder`
  } catch {
    return undefined;
  }
}

// The path of shell_tools.so. If the variable WTOOL_PLUGIN is set, it names the file. If not, this looks in the installation of the
// program `wtool` in PATH, and then in the folder that pkg-config prints. Throws if there is no such file.
function findPlugin() {
  const named = process.env.WTOOL_PLUGIN;
  if (named) {
    if (!isFile(named)) throw new Error(`WTOOL_PLUGIN names '${named}', but there is no such file`);
    return path.resolve(named);
  }
  const lookedAt = [];
  for (const [what, folderOf] of [['beside wtool in PATH', besideProgram], ['pkg-config', fromPkgConfig]]) {
    const folder = folderOf();
    const file = folder && path.resolve(folder, NAME);
    if (file && isFile(file)) return file;
    lookedAt.push(`\n  ${what}: ${file ?? 'nothing'}`);
  }
  throw new Error(
    `no plugin was found; install wtool, or name the file in WTOOL_PLUGIN or with new Plugin({ path }). Looked at:${lookedAt.join('')}`,
  );
}

module.exports = { findPlugin };
