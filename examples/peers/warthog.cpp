// Puts ikeru's queries to Warthog's jump point search, line by line (README.md says how to build it). The argument is one of
// Warthog's names: jps, jpsP, jps+, jpsP+.
#include <algorithm>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

#include <jps/jump/jump_point_offline.h>
#include <jps/jump/jump_point_online.h>
#include <jps/search/jps.h>
#include <jps/search/jps_expansion_policy.h>
#include <jps/search/jps_prune_expansion_policy.h>
#include <warthog/domain/gridmap.h>
#include <warthog/heuristic/octile_heuristic.h>
#include <warthog/search/unidirectional_search.h>
#include <warthog/util/pqueue.h>

struct Point {
    int x, y;
};
struct Query {
    Point start, goal;
};

// A map and the rows of the scenario that follows it.
struct Instance {
    std::unique_ptr<warthog::domain::gridmap> map;
    int width = 0, height = 0;
    std::vector<Query> queries;

    // The whole scenario, or with a `tenth` from 1 to 10 only this part of its rows.
    Instance(const std::string &file, int tenth) {
        std::ifstream text(file);
        std::string word;
        text >> word >> word >> word >> height >> word >> width >> word;
        map = std::make_unique<warthog::domain::gridmap>(height, width);
        for (int y = 0; y < height && text >> word; y++)
            for (int x = 0; x < width; x++) map->set_label(x, y, word[x] == '.' || word[x] == 'G' || word[x] == 'S');
        text >> word >> word;
        int bucket, columns, rows;
        Query query;
        while (text >> bucket >> word >> columns >> rows >> query.start.x >> query.start.y >> query.goal.x >> query.goal.y >> word)
            queries.push_back(query);
        const size_t all = queries.size();
        if (tenth > 0) queries = {queries.begin() + (tenth - 1) * all / 10, queries.begin() + tenth * all / 10};
    }
};

static void add(std::string &path, Point cell) {
    path += (path.empty() ? "[" : ",[") + std::to_string(cell.x) + "," + std::to_string(cell.y) + "]";
}

// A path as ikeru reads it. A leg is diagonal first, then straight.
static std::string json_of(const std::vector<Point> &corners) {
    if (corners.empty()) return "{\"path\":null}";
    std::string path;
    int straight = 0, diagonal = 0;
    add(path, corners[0]);
    for (size_t at = 1; at < corners.size(); at++) {
        const Point from = corners[at - 1], to = corners[at];
        const int across = std::abs(to.x - from.x), down = std::abs(to.y - from.y), both = std::min(across, down);
        if (both > 0 && across != down)
            add(path, {from.x + (to.x > from.x ? both : -both), from.y + (to.y > from.y ? both : -both)});
        if (across + down > 0) add(path, to);
        diagonal += both;
        straight += std::max(across, down) - both;
    }
    return "{\"path\":[" + path + "],\"straight_hundredths\":" + std::to_string(100 * straight) +
           ",\"diagonal_hundredths\":" + std::to_string(100 * diagonal) + "}";
}

template <typename Policy> static int serve() {
    std::unique_ptr<Instance> asked;
    std::unique_ptr<Policy> policy;
    std::unique_ptr<warthog::heuristic::octile_heuristic> heuristic;
    warthog::util::pqueue_min open;
    for (std::string line; std::getline(std::cin, line);) {
        const size_t instance = line.find("\"instance\":\"");
        if (instance != std::string::npos) {
            const size_t first = instance + 12;
            const size_t tenth = line.find("\"tenth\":");
            asked = std::make_unique<Instance>(line.substr(first, line.find('"', first) - first),
                                               tenth == std::string::npos ? 0 : std::stoi(line.substr(tenth + 8)));
            policy = std::make_unique<Policy>(asked->map.get());
            heuristic = std::make_unique<warthog::heuristic::octile_heuristic>(asked->map->width(), asked->map->height());
            std::cout << "{\"ready\":true}" << std::endl;
            continue;
        }
        warthog::search::unidirectional_search search(heuristic.get(), policy.get(), &open);
        std::string answers;
        for (const Query &query : asked->queries) {
            warthog::search::problem_instance problem(policy->get_pack(query.start.x, query.start.y),
                                                      policy->get_pack(query.goal.x, query.goal.y));
            warthog::search::search_parameters parameters;
            warthog::search::solution found;
            search.get_path(&problem, &parameters, &found);
            std::vector<Point> corners;
            for (const auto cell : found.path_) {
                const int id = static_cast<int>(uint32_t{cell});
                corners.push_back({id % asked->width, id / asked->width});
            }
            answers += (answers.empty() ? "" : ",") + json_of(corners);
        }
        const std::string answer = asked->queries.size() == 1 ? answers : "[" + answers + "]";
        std::cout << "{\"answer\":" << answer << ",\"proven\":true}" << std::endl;
    }
    return 0;
}

int main(int count, char **words) {
    using namespace jps::search;
    using Online = jps::jump::jump_point_online;
    using Offline = jps::jump::jump_point_offline<>;
    const std::string name = count > 1 ? words[1] : "";
    if (name == "jps") return serve<jps_expansion_policy<Online>>();
    if (name == "jpsP") return serve<jps_prune_expansion_policy<Online>>();
    if (name == "jps+") return serve<jps_expansion_policy<Offline>>();
    if (name == "jpsP+") return serve<jps_prune_expansion_policy<Offline>>();
    std::cerr << "usage: warthog jps|jpsP|jps+|jpsP+\n";
    return 2;
}
