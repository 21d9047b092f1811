# 260 pages about the manual, which is read as JSON, with keywords, links and one to seven versions.
require 'json'
require 'rack'
require 'fileutils'
require 'hiki/config'

KEYWORDS = %w[syntax regex unicode build modules objects threads debugging input output numbers strings hashes arrays files history platforms testing]
START = Time.utc(2024, 3, 4, 8)
TEXTS = STDIN.map { |line| JSON.parse(line) }
conf = Hiki::Config.new('hikiconf.rb')
db = conf.database
FileUtils.cp_r("#{Hiki::PATH}/misc/text/default.en/.", "#{conf.data_path}/text")
File.write("#{conf.data_path}/text/.wiki", 'manual')

def named(text)
  text.scan(/[A-Za-z0-9]+/).map { |word| word[0].upcase + word[1..] }.join[0, 48]
end

# What a page is called, whose it is and what it says.
pages = TEXTS.flat_map.with_index do |doc, number|
  name = named(doc['name'])
  parts = doc['sections'].first(6)
  own = [[name, doc['title'], parts.first(3), parts.map { |part| name + named(part['heading']) }.first(3)]]
  own + parts.first(number.even? ? 3 : 2).map { |part| [name + named(part['heading']), "#{doc['name']}: #{part['heading']}", [part], [name]] }
end
pages = pages.uniq { |page| page[0].downcase }.then { |all| all.first(250) + all.last(10) }
known = pages.map(&:first)

def written(title, parts, links, others, turn, turns)
  said = parts.map do |part|
    paragraphs = part['paragraphs'].first(2 + turn)
    paragraphs = paragraphs[0...-1] if turn.odd? && turn + 1 < turns && paragraphs.size > 1
    "! #{part['heading']}\n" + paragraphs.map { |one| one.sub(/\A\* /, '* ').gsub('{{', '{ {').gsub('[[', '[ [')[0, 1500] }.join("\n\n")
  end
  (["#{title}."] + said + ["!! See also"] + (links + others).map { |link| "* [[#{link}]]" }).join("\n\n").gsub(/\n\n(?=\* \[\[)/, "\n") + "\n"
end

def keep(conf, db, name, versions, moment)
  folder = "#{conf.repos_root}/manual/#{conf.send(:escape, name)}"
  FileUtils.mkdir_p(folder)
  versions.each_with_index do |text, turn|
    db.delete_cache(name)
    db.store(name, text, db.exist?(name) ? db.send(:md5hex, name) : nil)
    file = "#{folder}/#{turn + 1}"
    File.write(file, text)
    at = moment + turn * 61 * 3600
    File.utime(at, at, file)
  end
  db.set_attribute(name, [[:last_modified, moment + (versions.size - 1) * 61 * 3600]])
end

db.open_db do
  pages.each_with_index do |(name, title, parts, links), number|
    links = links & known
    others = [2, 5, 9].first(1 + number % 3).map { |step| known[(number * step + 1) % known.size] } - [name] - links
    turns = 1 + number * number % 7
    keep(conf, db, name, (0...turns).map { |turn| written(title, parts, links, others, turn, turns) }, START + number * 5 * 3600)
    words = (0..number % 3).map { |step| KEYWORDS[(number * 5 + step * 7) % KEYWORDS.size] }
    db.set_attribute(name, [[:title, number % 3 == 0 ? title : name], [:keyword, words], [:editor, %w[Ada Bela Carla Dmitri][number % 4]], [:references, links + others]])
  end
  front = "! Pages about the manual\n\n" + known.each_slice(3).map { |name, *| "* [[#{name}]]\n" }.join
  keep(conf, db, 'FrontPage', [front], START)
  keep(conf, db, 'SideMenu', ["! Menu\n* [[FrontPage]]\n* [[SiteMap]]\n* [[KeyWords]]\n* TextFormattingRules\n! Recent\n{{recent}}\n"], START)
  keep(conf, db, 'SiteMap', ["! All from the front page\n{{sitemap}}\n! Led to by none\n{{orphan}}\n"], START)
  keep(conf, db, 'KeyWords', ["! By keyword\n{{keyword_list}}\n"], START)
  db.set_attribute('FrontPage', [[:references, known.each_slice(3).map(&:first)]])
end
